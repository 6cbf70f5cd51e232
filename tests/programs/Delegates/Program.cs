using System;

namespace Delegates
{
    public delegate int Operation(int x);

    public interface IShape
    {
        int Area();
    }

    public class Animal
    {
        public virtual string Speak() => "…";

        public virtual T Give<T>(T x) => default;
    }

    public class Dog : Animal, IShape
    {
        public int Legs = 4;

        public override string Speak() => "Wau"; // @override

        public override T Give<T>(T x) => x; // @generic

        public int Area() => Legs; // @interface

        public int Add(int x) => x + Legs; // @instance
    }

    public struct Point : IShape
    {
        public int X;

        public int Area() => X; // @structure
    }

    public static class Program
    {
        private static int Twice(int x) => x * 2; // @static

        private static int Steps(this Dog dog, int x) => dog.Legs * x; // @extension

        public static void Main()
        {
            var dog = new Dog();
            Animal animal = dog;
            IShape shape = dog, point = new Point { X = 3 };
            int k = 3;
            Func<int, int> closure = x =>
                x + k; // @closure
            Operation withoutClosure = x => x - 1; // @lambda
            Func<int, int> ofStatic = Twice;
            Operation ofInstance = dog.Add;
            Func<string> ofVirtual = animal.Speak;
            Func<int> ofInterface = shape.Area;
            Func<int> ofStructure = point.Area;
            Func<string, string> ofGeneric = animal.Give<string>;
            Func<int, int> ofExtension = dog.Steps;
            var open = (Func<Dog, int, int>)Delegate.CreateDelegate(typeof(Func<Dog, int, int>), typeof(Dog).GetMethod("Add"));
            Func<int, int> local = Local;
            int Local(int x) => x + k; // @local
            object boxed = ofInstance;
            Func<int, int> ofFramework = Math.Abs;
            Action several = () => k++;
            several += () => k--;
            Func<int> none = null;
            Console.WriteLine(k); // @here
            GC.KeepAlive(new object[] { closure, withoutClosure, ofStatic, ofInstance, ofVirtual, ofInterface, ofStructure, ofGeneric, ofExtension, open, local, boxed, ofFramework, several, none });
        }
    }
}
