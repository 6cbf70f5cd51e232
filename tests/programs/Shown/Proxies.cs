using System;
using System.Collections.Generic;
using System.Diagnostics;

[assembly: DebuggerTypeProxy(typeof(Shown.FromOutsideView), Target = typeof(Shown.FromOutside))]
[assembly: DebuggerDisplay("outside {Inner}", Target = typeof(Shown.FromOutside))]

namespace Shown
{
    // Types that tell a debugger to show another object in their place. `Proxies.Made` counts those that were made.
    public static class Proxies
    {
        public static int Made;

        public static void Show()
        {
            Basket basket = new Basket();
            Pile<string> pile = new Pile<string> { First = "a", Second = "b" };
            TallPile tall = new TallPile { First = 3, Second = 4 };
            FromOutside outside = new FromOutside();
            Refusing refusing = new Refusing();
            HalfBroken halfBroken = new HalfBroken();
            Missing missing = new Missing();
            Crate crate = new Crate();
            IEnumerable<int> numbers = Numbers(3);
            IEnumerable<int> naturals = Numbers(int.MaxValue);
            Letters letters = new Letters();
            FailingItems failingItems = new FailingItems();
            Program.Use(numbers, naturals, letters, failingItems);
            Program.Use(basket, pile, tall, outside, refusing, halfBroken, missing, crate); // @proxies
            Console.WriteLine(Made);
        }

        private static IEnumerable<int> Numbers(int count)
        {
            for (int i = 0; i < count; i++)
            {
                Made++;
                yield return i * i;
            }
        }
    }

    // A private proxy with everything that a variables view may meet.
    [DebuggerTypeProxy(typeof(View))]
    public class Basket
    {
        private readonly List<Point> places = new List<Point> { new Point { X = 1, Y = 2 }, new Point { X = 3, Y = 4 } };

        private class View
        {
            private readonly Basket basket;

            public View(int other)
            {
                throw new InvalidOperationException("The constructor of something else was called");
            }

            private View(Basket basket)
            {
                Proxies.Made++;
                this.basket = basket;
            }

            public int Field = 5;

            public int Count => basket.places.Count;

            public Point First => basket.places.ToArray()[0];

            public string Text => string.Join("; ", basket.places.ConvertAll(place => place.X + "," + place.Y));

            [DebuggerBrowsable(DebuggerBrowsableState.RootHidden)]
            private Point[] Places => basket.places.ToArray();

            [DebuggerBrowsable(DebuggerBrowsableState.Never)]
            public int Secret => throw new InvalidOperationException("It was read");

            private int Own => 1;
        }
    }

    [DebuggerTypeProxy(typeof(PileView<>))]
    public class Pile<T>
    {
        public T First;
        public T Second;
    }

    internal class PileView<T>
    {
        private readonly Pile<T> pile;

        public PileView(Pile<T> pile)
        {
            this.pile = pile;
        }

        public T Top => pile.Second;

        public List<T> All => new List<T> { pile.First, pile.Second };
    }

    public class TallPile : Pile<int>
    {
    }

    public class FromOutside
    {
        public int Inner = 7;
    }

    internal class FromOutsideView
    {
        private readonly FromOutside of;

        public FromOutsideView(FromOutside of) => this.of = of;

        public int Doubled => of.Inner * 2;
    }

    [DebuggerTypeProxy(typeof(RefusingView))]
    public class Refusing
    {
        public int Inner = 8;
    }

    internal class RefusingView
    {
        public RefusingView(Refusing of)
        {
            throw new InvalidOperationException("Not today: " + of.Inner);
        }
    }

    // A proxy that gives some things themselves and of others copies.
    [DebuggerTypeProxy(typeof(CrateView))]
    public class Crate
    {
        internal readonly int[] Counts = { 1, 2 };
        internal int Weight = 30;
    }

    internal class CrateView
    {
        private readonly Crate of;

        public CrateView(Crate of)
        {
            Proxies.Made++;
            this.of = of;
        }

        public int Own = 4;

        public int Kilos
        {
            get => of.Weight;
            set => of.Weight = value;
        }

        public int[] Themselves => of.Counts;

        public int[] Copied => (int[])of.Counts.Clone();

        public List<int> Listed => new List<int>(of.Counts);
    }

    [DebuggerTypeProxy(typeof(HalfBrokenView))]
    public class HalfBroken
    {
        public int Inner = 9;
    }

    internal class HalfBrokenView
    {
        private readonly HalfBroken of;

        public HalfBrokenView(HalfBroken of) => this.of = of;

        public int Bad => throw new InvalidOperationException("Only this one");

        public int Good => of.Inner;
    }

    // Enumerates objects, by the interface without a type argument only.
    public class Letters : System.Collections.IEnumerable
    {
        private readonly string text = "ab";

        public System.Collections.IEnumerator GetEnumerator() => new[] { text + 1, text + 2 }.GetEnumerator();
    }

    public class FailingItems : IEnumerable<int>
    {
        public IEnumerator<int> GetEnumerator() => throw new InvalidOperationException("No items today");

        System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => GetEnumerator();
    }

    [DebuggerTypeProxy("Shown.NoSuchType")]
    public class Missing
    {
        public int Inner = 12;
    }
}
