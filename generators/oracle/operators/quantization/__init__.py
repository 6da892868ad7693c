"""Numbers by a scale and a zero point: see `linear`, `granularity`, `dynamic` and `products`."""
