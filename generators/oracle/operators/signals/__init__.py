"""Signals and their spectra: windows, Fourier transforms, the mel scale."""
