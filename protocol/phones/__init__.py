"""Define what phones are asked, and what they tell of themselves."""
