using System;

namespace Values
{
    public enum Colour
    {
        Red,
        Green,
        Blue = 10,
    }

    [Flags]
    public enum Access
    {
        Read = 1,
        Write = 2,
        Execute = 4,
    }

    public enum Small : byte
    {
        Least = 0,
        Most = 255,
    }

    public struct Point
    {
        public static readonly Point Origin = new Point(0, 0);
        public int X;
        public int Y;

        public Point(int x, int y)
        {
            X = x;
            Y = y;
        }

        public int Sum => X + Y;

        public override string ToString()
        {
            return "(" + X + "; " + Y + ")";
        }
    }

    public struct Outer
    {
        public string Name;
        public Point Inner;
        public long Count;
    }

    public interface IShape
    {
        double Area { get; }
    }

    public sealed class Circle : IShape
    {
        private readonly double radius;

        public Circle(double radius)
        {
            this.radius = radius;
        }

        public double Area => Math.PI * radius * radius;
    }

    public class Base
    {
        public static int BaseCount = 3;
        public int Shared = 1;
        protected string hidden = "protected";
        private int secret = 99;

        public virtual string Describe()
        {
            return "base " + secret;
        }
    }

    public class Derived : Base
    {
        public const int Constant = 12;
        public static string Text = "static text";
        public static readonly Point Corner = new Point(11, 12);
        [ThreadStatic]
        public static int PerThread;
        private static int counter = 5;
        public new int Shared = 2;

        public Derived()
        {
            PerThread = 6;
            Automatic = "automatic";
        }

        public string Automatic { get; set; }

        public int Computed => Shared * 10 + counter;

        public int Throws => throw new InvalidOperationException("getter throws");

        public int this[int index] => index * 2;

        public override string ToString()
        {
            return "Derived!";
        }

        public void Show()
        {
            int local = Shared + base.Shared + hidden.Length;
            counter += local; // @this
        }
    }

    public sealed class Node
    {
        public readonly string Name;
        public Node Next;

        public Node(string name, Node next)
        {
            Name = name;
            Next = next;
        }
    }

    public sealed class Box<T>
    {
        public static int Made;
        private readonly T content;

        public Box(T content)
        {
            this.content = content;
            Made++;
        }

        public void Show<TExtra>(TExtra extra)
        {
            T copy = content;
            GC.KeepAlive((copy, extra)); // @generic-instance
        }

        public static void ShowShared<TOther>(TOther other)
        {
            TOther copy = other;
            GC.KeepAlive(copy); // @generic-static
        }
    }
}
