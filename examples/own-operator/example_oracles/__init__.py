"""The oracles of the operators of com.example: what their documents require, in exact numbers."""
