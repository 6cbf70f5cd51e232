using System;
using System.Collections.Generic;
using System.Globalization;
using System.Reflection;

namespace Shown
{
    // Values whose getters make structures on the way; `texts` has what each of the getters really gives.
    public static class Getters
    {
        private static readonly List<string> s_texts = new List<string>();

        public static void Show()
        {
            DateTime leap = new DateTime(2024, 2, 29, 12, 34, 56, 789, DateTimeKind.Utc).AddTicks(1234);
            DateTime first = DateTime.MinValue;
            DateTime last = DateTime.MaxValue;
            DateTime local = new DateTime(1999, 12, 31, 23, 59, 59, DateTimeKind.Local);
            DateTimeOffset east = new DateTimeOffset(2024, 3, 1, 1, 2, 3, TimeSpan.FromMinutes(330));
            TimeSpan long_ = new TimeSpan(3, 4, 5, 6, 789);
            TimeSpan negative = TimeSpan.FromMilliseconds(-90061001);
            Guid guid = new Guid("01234567-89ab-cdef-0123-456789abcdef");
            Segment segment = new Segment(new Spot(1, 2), new Spot(4, -6));
            Note(leap, nameof(leap));
            Note(first, nameof(first));
            Note(last, nameof(last));
            Note(local, nameof(local));
            Note(east, nameof(east));
            Note(long_, nameof(long_));
            Note(negative, nameof(negative));
            Note(guid, nameof(guid));
            Note(segment, nameof(segment));
#if NET6_0_OR_GREATER
            DateOnly day = new DateOnly(2024, 2, 29);
            TimeOnly time = new TimeOnly(12, 34, 56, 789);
            Note(day, nameof(day));
            Note(time, nameof(time));
#endif
            Exception refused = new ArgumentNullException("name", "It is needed.");
            WeakReference weak = new WeakReference(s_texts);
            Journey journey = new Journey(new Spot(3, 4));
            string[] texts = s_texts.ToArray();
            GC.KeepAlive(texts); // @getters
            GC.KeepAlive(refused);
            GC.KeepAlive(weak);
            GC.KeepAlive(journey);
        }

        private static void Note<T>(T value, string name)
            where T : struct
        {
            foreach (PropertyInfo property in typeof(T).GetProperties(BindingFlags.Public | BindingFlags.Instance))
                s_texts.Add(name + "." + property.Name + "=" + Text(property.GetValue(value)));
        }

        private static string Text(object value)
        {
            string text = Convert.ToString(value, CultureInfo.InvariantCulture);
            if (value is null)
                return "null";
            if (value is bool)
                return text.ToLowerInvariant();
            return value.GetType().IsPrimitive || value is Enum ? text : "{" + text + "}";
        }
    }

    public readonly struct Spot
    {
        public readonly int X;
        public readonly int Y;

        public Spot(int x, int y)
        {
            X = x;
            Y = y;
        }

        public int Sum => X + Y;

        public static Spot operator -(Spot left, Spot right) => new Spot(left.X - right.X, left.Y - right.Y);

        public static Spot operator +(Spot left, Spot right) => new Spot(left.X + right.X, left.Y + right.Y);
    }

    // Its text only the program tells.
    public readonly struct Told
    {
        public readonly int Number;

        public Told(int number)
        {
            Number = number;
        }

        public Told Next => new Told(Number + 1);

        public override string ToString() => string.Format("no. {0}", Number);
    }

    public readonly struct Leg
    {
        public readonly Spot From;
        public readonly string Name;
        public readonly Told Told;
        public readonly DayOfWeek? Day;
        public readonly int? Never;

        public Leg(Spot from, string name)
        {
            From = from;
            Name = name;
            Told = new Told(from.X);
            Day = DayOfWeek.Monday;
            Never = null;
        }

        public (int Low, Spot High) Bounds => (From.X, From + From);

        public string Slow => string.Format("{0} from {1}", Name, From.X);
    }

    public class Journey
    {
        private readonly Spot _at;

        public Journey(Spot at)
        {
            _at = at;
        }

        public Leg First => new Leg(_at, "first");

        public Told Told => new Told(_at.Y);

        public Leg? Maybe => First;

        public static Leg Origin => new Leg(new Spot(0, 0), "origin");
    }

    public struct Turning
    {
        public Spot At;
        public int Turns;

        public void Turn()
        {
            At = new Spot(-At.Y, At.X);
            Turns++;
        }
    }

    public readonly struct Segment
    {
        private static readonly List<int> s_numbers = new List<int> { 1, 2, 3, 4, 5, 6 };
        private readonly Spot _from;
        private readonly Spot _to;

        public Segment(Spot from, Spot to)
        {
            _from = from;
            _to = to;
        }

        public int Width => (_to - _from).X;

        public int Weight
        {
            get
            {
                (int width, int height) = Size();
                return width * 100 + height;
            }
        }

        // A copy is turned; what it was copied from stays, and so does the copy of the copy.
        public int Turned
        {
            get
            {
                Turning turning = default;
                turning.At = _from + _to;
                Turning before = turning;
                turning.Turn();
                Turning once = turning;
                turning.Turn();
                return (before.At.X * 10 + before.Turns) * 10000 + (once.At.X * 10 + once.Turns) * 100 + turning.Turns;
            }
        }

        public int ByReference
        {
            get
            {
                Turning turning = default;
                Change(ref turning, out Spot old);
                ref Spot at = ref turning.At;
                at = at + new Spot(5, 0);
                return turning.At.X * 100 + old.Sum * 10 + turning.Turns;
            }
        }

        public int? Half => Width % 2 == 0 ? Width / 2 : (int?)null;

        public bool IsLong => Half.HasValue || default(Spot).Sum > 0;

        // What is stored by a reference is of the variable's type: an enum has its names, a number its size.
        public int ByName
        {
            get
            {
                DayOfWeek day = DayOfWeek.Monday;
                Later(ref day, out byte low);
                return day.ToString().Length * 1000 + low;
            }
        }

        // The enumerator of a list is a structure, which each turn changes; `finally` disposes of it.
        public int Walked
        {
            get
            {
                int sum = 0;
                foreach (int number in s_numbers)
                {
                    if (number > 4)
                        break;
                    try
                    {
                        if (number == 2)
                            continue;
                        sum += number;
                    }
                    finally
                    {
                        sum += 100;
                    }
                }
                return sum;
            }
        }

        public DateTime When => new DateTime(2000, 1, 1).Date;

        public TimeSpan Took => new TimeSpan(1, Width, 3);

        private (int, int) Size() => (_to.X - _from.X, _to.Y - _from.Y);

        private static void Later(ref DayOfWeek day, out byte low)
        {
            day += 2;
            low = unchecked((byte)((int)day + 300));
        }

        private static void Change(ref Turning turning, out Spot old)
        {
            old = turning.At + new Spot(7, 0);
            turning = new Turning { At = new Spot(3, 4) };
            turning.Turns += 2;
        }
    }
}
