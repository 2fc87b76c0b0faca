"""The weather from Open-Meteo: its client and the tool."""
