using System;
using System.Collections.Generic;
using System.Diagnostics;

namespace Members
{
    // Static members: of a class that is not initialised yet, of one that is, and of one that has nothing else.
    public static class Statics
    {
        public static void Show()
        {
            Late late = new Derived();
            Early early = new Early();
            Only only = new Only();
            Zeros<int> zeros = new Zeros<int>();
            Constants constants = new Constants();
            Program.Use(late, early, only, zeros, constants); // @statics
        }
    }

    public class Late
    {
        public static int Limit = 3;
        public static string Name { get; } = "late";
        public static object Nothing = null;

        public static int Count => 5;

        public static string Text => Name + Count;

        public static (int Low, int High) Bounds => (Count, 9);

        public static int Broken => throw new InvalidOperationException("no number");

        private static int Hidden => 4;

        [DebuggerBrowsable(DebuggerBrowsableState.Never)]
        public static int Never => 6;

        public int Own => 1;
    }

    public struct Wide
    {
        public long First, Second;
        public string Name;
    }

    public class Wider
    {
        public static Wide Whole = new Wide { Second = 8, Name = "whole" };
        public static int Limit = 4;
    }

    public class Derived : Late
    {
        public static new int Count => 7;
    }

    public class Early
    {
        public static int Zero;
        public static readonly List<int> Items;
        public static unsafe int* Address = (int*)16;

        static Early()
        {
            Items = new List<int> { 1, 2 };
        }

        public static int First => Items[0];
    }

    public class Only
    {
        public static int Total => 8;
    }

    public class Constants
    {
        public const int Number = -5;
        public const string Text = "a\"b";
        public const string Nothing = null;
        public const decimal Rate = 0.25m;
        public const DayOfWeek Day = DayOfWeek.Friday;
        private const double Half = 0.5;
        internal const char Letter = 'x';
        public const bool Yes = true;
    }

    public class Zeros<T>
    {
        public static T First;

        static Zeros()
        {
        }
    }
}
