"""How well and how fast the redactor works, on turns made up from templates and values with a fixed seed."""
