namespace Places
{
    internal partial class Shapes
    {
        public int Pick(int index)
        {
            return _numbers[index]; // @partial
        }
    }

    internal static class Mapped
    {
        public static int Value(int x)
        {
#line 100 "Mapped.txt"
            var y = x + 1; return y;
#line default
        }
    }
}
