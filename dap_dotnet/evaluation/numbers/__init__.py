"""Numbers as .NET computes them: C#'s arithmetic and System.Decimal."""
