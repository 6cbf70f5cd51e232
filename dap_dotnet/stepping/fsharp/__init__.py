"""F#'s computations: their pieces, and what runs those."""
