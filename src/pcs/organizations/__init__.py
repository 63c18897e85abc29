"""Who may do what and what it costs: organizations, members, API keys, scopes, rate windows, credits."""
