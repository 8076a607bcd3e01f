"""What tests share: fixtures, fakes and builders."""
