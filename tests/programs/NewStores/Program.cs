using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

// Forms of store that need a newer C# than 8; see the program Stores.
namespace NewStores
{
    public class Options
    {
        public int Value;

        public string Name { get; init; }

        public required int Needed { get; init; }

        public int Halved { get; set => field = value / 2; }
    }

    public record Item(int Count, string Title)
    {
        public int Size { get; init; }
    }

    public record struct Pair(int X, int Y);

    public class Primary(int start)
    {
        public int Total = start;

        public int Next() => start += 1;
    }

    [InlineArray(4)]
    public struct Four
    {
        private int first;
    }

    public struct Cell
    {
        public int X;

        [UnscopedRef]
        public ref int Ref => ref X;
    }

    public ref struct Cursor
    {
        public ref int At;

        public Cursor(ref int at) { At = ref at; }

        public void Set(int value) { At = value; }
    }

    public class Holder
    {
        public int A;
        public Pair P;
        public Four Row;
        public Cell Cell;
        public Item Item;
    }

    public static class Log
    {
        private static readonly Dictionary<string, string> Last = [];

        // How many changes were written; a debugger reads it.
        public static int Written;

        public static void See(Holder c)
        {
            Now("Holder.A", c.A);
            Now("Holder.P", $"{{X = {c.P.X}, Y = {c.P.Y}}}");
            Now("Holder.Cell", $"{{X = {c.Cell.X}}}");
        }

        public static void Now(string field, object value)
        {
            string text = $"{value}";
            if (Last.TryGetValue(field, out string last) && last == text) return;
            Last[field] = text;
            Console.WriteLine($"{field}={text}");
            Written++;
        }
    }

    public static class Program
    {
        public static int Main()
        {
            Holder c = new Holder();
            Log.See(c);
            Console.WriteLine("begin");
            Log.Written = 0;
            Start(c);
            Init(c);
            Required(c);
            With(c);
            RecordStructs(c);
            Rows(c);
            Cursors(c);
            Cells(c);
            Lists(c);
            Assigned(c);
            Scoped(c);
            return 0;
        }

        private static void Start(Holder c) { } // @start

        private static void Init(Holder c)
        {
            var made = new Options { Name = "n", Needed = 1 };
            c.A = 102; // @init
            Log.See(c);
            c.A++;
            Log.See(c);
            if (made.Name == "n") c.A = 104;
            Log.See(c);
        }

        private static void Required(Holder c)
        {
            var made = new Options { Needed = c.A = 201, Halved = 5 };
            Log.See(c);
            c.A = 202;
            Log.See(c);
        }

        private static void With(Holder c)
        {
            c.Item = new Item(301, "a") { Size = 4 };
            c.Item = c.Item with { Count = 302 };
            c.A = c.Item.Count;
            Log.See(c);
            c.Item = c.Item with { Size = c.A = 303 };
            Log.See(c);
        }

        private static void RecordStructs(Holder c)
        {
            c.P = new Pair(401, 1);
            Log.See(c);
            c.P = c.P with { X = 402 };
            Log.See(c);
            c.P.X = 403;
            Log.See(c);
            c.P.X++;
            Log.See(c);
            (c.P.X, c.A) = c.P with { X = 405 };
            Log.See(c);
        }

        private static void Rows(Holder c)
        {
            c.Row[0] = 501;
            c.Row[2] = 502;
            Span<int> row = c.Row;
            row[1] = 503;
            c.A = 504;
            Log.See(c);
        }

        private static void Cursors(Holder c)
        {
            Cursor cursor = new Cursor(ref c.A);
            cursor.At = 601;
            Log.See(c);
            cursor.Set(602);
            Log.See(c);
            Cursor other = new() { At = ref c.A };
            other.At++;
            Log.See(c);
        }

        private static void Cells(Holder c)
        {
            c.Cell.Ref = 701;
            Log.See(c);
            ref int at = ref c.Cell.Ref;
            at = 702;
            Log.See(c);
        }

        private static void Lists(Holder c)
        {
            List<int> numbers = [801, c.A = 802];
            Log.See(c);
            int[] more = [.. numbers, c.A = 803];
            Log.See(c);
        }

        private static void Assigned(Holder c)
        {
            Primary primary = new(901);
            c.A = primary.Next();
            Log.See(c);
            c?.A = 903;
            Log.See(c);
            c?.P.X += 904;
            Log.See(c);
        }

        private static void Scoped(Holder c)
        {
            scoped ref int r = ref c.A;
            r = 1001;
            Log.See(c);
            foreach (ref int each in new Span<int>(ref c.A))
            {
                each = 1002;
                Log.See(c);
            }
        }
    }
}
