"""The sandbox: answers of the right shape that say nothing about the product."""
