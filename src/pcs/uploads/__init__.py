"""Files of products that people upload: looked at first, then classified, and given back with their answers."""
