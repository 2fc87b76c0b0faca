"""What hearing and speaking share: samples, WAV files, the sound card, and a thread for native code."""
