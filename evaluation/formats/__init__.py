"""Write results for CI systems and for people: JUnit XML, a page with a table, a page of each step on all phones."""
