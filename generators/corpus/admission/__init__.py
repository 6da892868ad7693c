"""How the lock grows: what the rules propose, what people ruled, and what is written.

May come in: whatever shows, proves or changes the list of what the standard corpus holds.
May not: which vectors a case has by the rules (`planning`), and how they are made (`building`).
"""
