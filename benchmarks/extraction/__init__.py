"""How well claims are read from turns: a labelled set, its measures, and a report for any extractor."""
