"""Reading only what no picture read before has: rows, pages, and what is left to read."""
