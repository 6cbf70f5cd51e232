using System;
using System.Collections.Generic;
using System.Linq;

namespace Passed
{
    public struct Point
    {
        public int X;
        public int Y;

        public Point(int x, int y)
        {
            X = x;
            Y = y;
        }

        public override string ToString() => X + "," + Y;
    }

    public struct Tag
    {
        public string Text;
        public decimal Weight;

        public override string ToString() => Text + Weight;
    }

    public struct Counter
    {
        public int? Last;

        // Writes, so that it is called and not followed.
        public void Set(int? value)
        {
            Last = value;
            Program.Calls++;
        }
    }

    public enum Level : byte
    {
        Low,
        Middle,
        High,
    }

    public class Reading
    {
        public int Number = 7;
        public long Wide = 9;
        public bool Flag = true;
        public Point Place = new Point(1, 2);
        public Guid Id = Guid.Parse("00112233-4455-6677-8899-aabbccddeeff");
        public DateTime Time = new DateTime(2020, 1, 2);
        public decimal Price = 1.5m;
        public Level Level = Level.High;
        public int? Maybe = 3;
        public Point? MaybePlace = new Point(5, 6);

        public int Count() => Number + Program.Calls - Program.Calls;
    }

    public class Taker
    {
        public int? Given;

        public Taker(int? given)
        {
            Given = given;
        }

        public int? this[int? index]
        {
            get => index + Program.Calls - Program.Calls;
            set => Given = index + value;
        }

        public static Taker operator +(Taker left, int? right) => new Taker(left.Given + right);
    }

    public class Line
    {
        public int Count;

        public int Whole { get; set; }

        public Line Same => this;
    }

    public class Order
    {
        private readonly List<Line> lines = new List<Line> { new Line(), new Line() };

        public IReadOnlyList<Line> Lines => lines;

        public IReadOnlyList<Point> Points { get; } = new[] { new Point(1, 2) };
    }

    public static class Program
    {
        public const ushort[] NoNumbers = null;

        private const List<Level[,]> NoLevels = null;

        public static int Calls;

        // Each counts, so that it is called and not followed.
        public static string OfNumber(int? value) => Said(value);

        public static string OfWide(long? value) => Said(value);

        public static string OfPlace(Point? value) => Said(value);

        public static string OfId(Guid? value) => Said(value);

        public static string OfTime(DateTime? value) => value.HasValue ? Said(value.Value.Ticks) : Said(null);

        public static string OfPrice(decimal? value) => Said(value * 2);

        public static string OfLevel(Level? value) => Said(value);

        public static string OfPlainLevel(Level value) => Said(value);

        public static string OfObject(object value) => Said(value);

        public static string OfAny<T>(T value) => typeof(T).Name + Said(value);

        public static string OfPlaces(params Point?[] values) => string.Join(" ", values.Select(one => Said(one)));

        public static string OfThree(int? number, Point? place, string text) => Said(number) + Said(place) + Said(text);

        public static string OfTag(int? number, Tag? tag) => Said(number) + Said(tag);

        public static string OfPair((int?, Point?) pair) => Said(pair.Item1) + Said(pair.Item2);

        public static string Extended(this Point? place, int? number) => Said(place) + Said(number);

        private static string Said(object value)
        {
            Calls++;
            return "<" + (value == null ? "null" : value.ToString()) + ">";
        }

        public static void Main()
        {
            Reading reading = new Reading();
            Reading none = null;
            List<Reading> readings = new List<Reading> { reading, null };
            Point place = new Point(10, 20);
            Point? maybePlace = new Point(3, 4);
            Tag? maybeTag = new Tag { Text = "tag", Weight = 1 };
            int? maybe = 12;
            Dictionary<int, string> many = Enumerable.Range(0, 1000).ToDictionary(number => number, number => "n" + number);
            Counter counter = new Counter();
            Order order = new Order();
            Taker taker = new Taker(5);
            Func<Point?, string> function = OfPlace;
            // What the expressions use must be there: code that has run, types that are loaded.
            object[] used =
            {
                new Point?[1], new Guid?[1], new Level?[1], new decimal?[1], new DateTime?[1], new List<Point?>(),
                OfThree(1, place, "text") + OfTag(1, maybeTag) + OfPair((1, place)) + OfAny(maybePlace) + OfAny(maybe) + OfPlaces(place),
                OfNumber(1) + OfWide(1) + OfId(null) + OfTime(null) + OfPrice(1) + OfLevel(null) + OfObject(1),
                function(place) + place.ToString() + maybePlace.Extended(1), new { V = maybe }, taker + maybe, taker[1],
            };
            for (int turn = 0; turn < 2; turn++)
                Console.WriteLine(turn + used.Length + readings.Count + many.Count + Convert.ToInt32(none?.Flag) + (NoLevels == null ? 0 : 1)); // @here
            Console.WriteLine(counter.Last + order.Lines[0].Count);
        }
    }
}
