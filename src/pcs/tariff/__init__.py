"""What the law says: codes, schedules, notes, rules and rulings. No HTTP, no SQL, no clock."""
