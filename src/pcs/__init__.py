"""Product Classification Service: tariff codes for any product, with the rulings and the reasoning behind them."""
