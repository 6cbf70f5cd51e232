using System;

namespace Members
{
    // Elements that lie side by side without an array around them.
    public static class Places
    {
        public static unsafe void Show()
        {
            const string noText = null;
            const object nothing = null;
            const Late noLate = null;
            const System.IO.TextWriter noWriter = null;
            const int[] noNumbers = null;
            const System.Collections.Generic.List<Late[,]> noLists = null;
            Spot[] held = { new Spot(1, "one", DayOfWeek.Monday), new Spot(2, null, null) };
            Fixed buffers = default;
            buffers.Data[0] = 11;
            buffers.Data[3] = 14;
            buffers.Text[0] = 'a';
            buffers.Text[1] = 'b';
            buffers.Bytes[2] = 200;
            WithFixed keeper = new WithFixed { Inside = buffers };
            object boxed = buffers;
            Span<int> numbers = new[] { 1, 2 };
            Span<string> texts = new[] { "x", "y", null };
            ReadOnlySpan<object> objects = new object[] { 1, "two", null, new Only() };
            Span<Spot> spots = held;
            Span<decimal> prices = new[] { 1.5m, -2m };
            Span<DayOfWeek> days = new[] { DayOfWeek.Friday };
            Span<int?> maybe = new int?[] { 4, null };
            Span<string> none = default;
            Memory<string> memory = new[] { "m", "n" };
#if NET8_0_OR_GREATER
            Texts three = default;
            three[0] = "first";
            three[2] = "third";
            Texts empty = default;
            Spots two = default;
            two[1] = held[0];
            object boxedThree = three;
            Span<string> overThree = three;
            Pointers pointers = new Pointers();
            Program.Use(boxedThree, pointers); // @newer
            Program.Use(three[0], empty[0], two[0].Number, overThree.Length);
#endif
            GC.Collect();
            Program.Use(held, keeper, boxed, memory, noText, nothing, noLate, buffers.Data[0]); // @places
            Program.Use(numbers.Length, texts.Length, objects.Length, spots.Length, prices.Length, days.Length);
            Program.Use(maybe.Length, none.Length);
        }
    }

    public readonly struct Spot
    {
        public readonly int Number;
        public readonly string Name;
        public readonly DayOfWeek? Day;
        public readonly Inner Inner;
        public readonly DayOfWeek Plain;

        public Spot(int number, string name, DayOfWeek? day)
        {
            Number = number;
            Name = name;
            Day = day;
            Inner = new Inner { Low = (byte)number, High = -number };
            Plain = DayOfWeek.Sunday;
        }

        public int Twice => Number * 2 + Inner.Low;
    }

    public struct Inner
    {
        public byte Low;
        public long High;
    }

    public unsafe struct Fixed
    {
        public fixed int Data[4];
        public fixed char Text[3];
        public fixed byte Bytes[3];
        public int After;
    }

    public class WithFixed
    {
        public Fixed Inside;
    }

#if NET8_0_OR_GREATER
    [System.Runtime.CompilerServices.InlineArray(3)]
    public struct Texts
    {
        private string _element;
    }

    [System.Runtime.CompilerServices.InlineArray(2)]
    public struct Spots
    {
        private Spot _element;
    }

    public unsafe class Pointers
    {
        public delegate*<int, int> Managed = &Increase;
        public delegate* unmanaged<int, int> None;
        public IntPtr Same;

        public Pointers()
        {
            Same = (IntPtr)Managed;
        }

        private static int Increase(int number) => number + 1;
    }
#endif
}
