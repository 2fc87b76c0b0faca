"""The weather, from Open-Meteo: who asks it, and the tool."""
