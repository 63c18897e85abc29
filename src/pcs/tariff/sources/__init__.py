"""Published files turned into the tariff's own types: one module a publisher."""
