"""Adapters for trainers in the process of the fleet. Each needs its trainer's package, which no extra brings."""
