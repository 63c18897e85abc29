"""What organizations have decided about their goods; what decides like goods from then on."""
