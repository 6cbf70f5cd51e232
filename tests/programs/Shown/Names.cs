using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Text;
using System.Xml.Linq;

namespace Shown
{
    // Types that are hard to name, of values that are hard to read: enums that the runtime loads late, arrays, types with
    // one simple name, and texts of several lines.
    public static class Names
    {
        public static void Show()
        {
            Late<int> number = new Late<int>();
            Late<string> text = new Late<string>();
            number.Stop();
            text.Stop();
            Arrays();
        }

        private static unsafe void Arrays()
        {
            Dictionary<string, int[]>[] tables = new Dictionary<string, int[]>[3];
            List<int[]>[][,] jagged = new List<int[]>[2][,];
            int[,][] dimensions = new int[2, 3][];
            (int[], string[,])[] pairs = new (int[], string[,])[4];
            Outer<int[]>.Inner<string>[] inner = new Outer<int[]>.Inner<string>[5];
            int*[][] pointers = new int*[6][];
            List<int?[]>[] empty = new List<int?[]>[0];
            Array whole = new Action<int[,]>[1, 2];
            Span<int[]> span = new int[7][];
            Program.Use(tables, jagged, dimensions, pairs, inner, pointers, empty, whole, span.Length); // @arrays
            Namesakes();
        }

        private static void Lines()
        {
            string raw = "a\n\tb";
            SeveralLines several = new SeveralLines();
            RunningLines running = new RunningLines();
            DisplayedLines displayed = new DisplayedLines { Text = "x\ny" };
            DisplayedLines? maybe = displayed;
            CalledLines called = new CalledLines();
            ref DisplayedLines referred = ref displayed;
            DisplayedLines[] items = { displayed };
            Dictionary<SeveralLines, int> keyed = new Dictionary<SeveralLines, int> { [several] = 1 };
            (SeveralLines, string) both = (several, raw);
            StringBuilder builder = new StringBuilder("c\nd");
            Exception error = new Exception("first\nsecond");
            XElement element = new XElement("a", new XElement("b"));
            Console.WriteLine("element: " + element.ToString().Replace("\n", "\\n").Replace("\r", "\\r"));
            Program.Use(raw, several, running, referred, maybe, called, items, keyed, both, builder, error, element); // @lines
        }

        private static void Namesakes()
        {
            Sold.Parcel sold = new Sold.Parcel();
            Sent.Parcel sent = new Sent.Parcel();
            Sold.Parcel.Label label = new Sold.Parcel.Label();
            Sent.Parcel[] several = new Sent.Parcel[2];
            List<Sold.Parcel> listed = new List<Sold.Parcel>();
            (Sold.Parcel, Sent.Parcel) both = (sold, sent);
            Sent.Size size = Sent.Size.Big;
            object one = new Sold.Carton<Sent.Parcel>();
            Sent.Timer ours = new Sent.Timer();
            using System.Threading.Timer theirs = new System.Threading.Timer(_ => { });
            Exception error = new Sold.LostException();
            Program.Use(sold, sent, label, several, listed, both, size, one, ours, theirs, error); // @namesakes
            try
            {
                throw new Sent.LostException();
            }
            catch (Sent.LostException)
            {
                Lines();
            }
        }
    }

    public class SeveralLines
    {
        public string Text = "a\n\tb";

        public override string ToString()
        {
            return Text + "\r\n\u2028\\ \"end\"";
        }
    }

    public class RunningLines : SeveralLines
    {
        public override string ToString()
        {
            return string.Join("\n", "one", "two").ToUpperInvariant();
        }
    }

    [DebuggerDisplay("{Text}: {Text,nq}\nend", Name = "na\nme", Type = "ki\tnd")]
    public struct DisplayedLines
    {
        public string Text;
    }

    [DebuggerDisplay("{System.String.Join(\"\\n\", Text, Text.ToUpperInvariant()),nq}")]
    public class CalledLines
    {
        public string Text = "x";
    }

    namespace Sold
    {
        public class Parcel
        {
            public int Number = 1;

            public class Label { }
        }

        public class Carton<T> { }

        public enum Size { Small }

        public class LostException : Exception { }
    }

    namespace Sent
    {
        public class Parcel
        {
            public int Number = 2;
        }

        public class Timer { }

        public enum Size { Small, Big }

        public class LostException : Exception { }
    }

    // The runtime lays the class out with the integers that these enums are, and loads each when code uses it.
    public class Late<T>
    {
        public enum Color { Red, Green }

        public enum Wide : ulong { Small = 1, Big = ulong.MaxValue - 1 }

        [Flags]
        public enum Access : byte { Read = 1, Write = 2, Run = 4 }

        public enum Fixed : short { First = -1 }

        public struct Point
        {
            public int X;
            public Color Shade;
            public T Tag;
        }

        public static Color Common = Color.Green;
        public Color Shade = Color.Green;
        public Wide Number = Wide.Big;
        public Access Rights = Access.Read | Access.Run;
        public Fixed Other = Fixed.First;
        public Point Place = new Point { X = 3, Shade = Color.Green };
        public Color? Maybe = Color.Green;
        public Color[] Several = { Color.Green };
        public (Color Own, int Count) Pair = (Color.Green, 2);
        public object Boxed = new Point { X = 4, Shade = Color.Green };

        public Color Automatic { get; set; } = Color.Green;

        public void Stop()
        {
            Program.Use(this); // @late
        }
    }
}
