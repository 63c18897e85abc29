"""The file of rulings: fetched or imported, with their status, in one file of the data folder."""
