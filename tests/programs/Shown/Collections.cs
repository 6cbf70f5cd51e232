using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;

namespace Shown
{
    // Collections of every kind with known contents; some went through removals, so that their arrays have holes.
    public static class Collections
    {
        public static void Show()
        {
            Ordinary();
            Others();
            Immutables();
        }

        private static void Ordinary()
        {
            List<int> list = new List<int> { 10, 20, 30 };
            List<string> emptyList = new List<string>();
            MyList derivedList = new MyList { 1, 2 };
            Dictionary<string, int> dictionary = new Dictionary<string, int> { ["one"] = 1, ["two"] = 2, ["three"] = 3 };
            Dictionary<string, int> holes = new Dictionary<string, int> { ["a"] = 1, ["b"] = 2, ["c"] = 3 };
            holes.Remove("b");
            Dictionary<Point, string> points = new Dictionary<Point, string> { [new Point { X = 1, Y = 2 }] = "p" };
            Dictionary<int, Point> byNumber = new Dictionary<int, Point> { [7] = new Point { X = 3, Y = 4 } };
            HashSet<string> set = new HashSet<string> { "a", "b", "c" };
            set.Remove("a");
            Queue<int> queue = new Queue<int>(4);
            for (int i = 0; i < 4; i++)
            {
                queue.Enqueue(i);
            }
            queue.Dequeue();
            queue.Dequeue();
            queue.Enqueue(4);
            Stack<int> stack = new Stack<int>(new[] { 1, 2, 3 });
            LinkedList<int> linked = new LinkedList<int>(new[] { 1, 2, 3 });
            SortedDictionary<string, int> sorted = new SortedDictionary<string, int> { ["z"] = 26, ["a"] = 1, ["m"] = 13 };
            SortedSet<int> sortedSet = new SortedSet<int> { 5, 1, 3, 2, 4 };
            SortedList<string, int> sortedList = new SortedList<string, int> { ["y"] = 25, ["b"] = 2 };
            ArrayList arrayList = new ArrayList { 1, "two" };
            Hashtable hashtable = new Hashtable { ["k"] = 1 };
            ObservableCollection<int> observable = new ObservableCollection<int> { 1, 2 };
            ReadOnlyCollection<int> readOnly = list.AsReadOnly();
            ReadOnlyDictionary<string, int> readOnlyDictionary = new ReadOnlyDictionary<string, int>(dictionary);
            ArraySegment<int> segment = new ArraySegment<int>(new[] { 1, 2, 3, 4 }, 1, 2);
            Memory<int> memory = new[] { 1, 2, 3, 4 }.AsMemory(2);
            List<List<int>> nested = new List<List<int>> { new List<int> { 1 }, new List<int>() };
            Array shifted = Array.CreateInstance(typeof(int), new[] { 2 }, new[] { 5 });
            Program.Use(list, emptyList, derivedList, dictionary, holes, points, byNumber, set, queue, stack); // @ordinary
            Program.Use(linked, sorted, sortedSet, sortedList, arrayList, hashtable, observable, readOnly, segment);
            Program.Use(memory, nested, shifted, readOnlyDictionary);
        }

        private static void Others()
        {
            ConcurrentDictionary<string, int> concurrent = new ConcurrentDictionary<string, int>();
            concurrent["one"] = 1;
            ConcurrentQueue<int> concurrentQueue = new ConcurrentQueue<int>();
            for (int i = 0; i < 40; i++)
            {
                concurrentQueue.Enqueue(i);
            }
            concurrentQueue.TryDequeue(out _);
            ConcurrentStack<int> concurrentStack = new ConcurrentStack<int>(new[] { 1, 2 });
#if NET8_0_OR_GREATER
            PriorityQueue<string, int> priority = new PriorityQueue<string, int>();
            priority.Enqueue("low", 9);
            Program.Use(priority);
#endif
            Program.Use(concurrent, concurrentQueue, concurrentStack); // @others
        }

        private static void Immutables()
        {
            ImmutableArray<int> immutableArray = ImmutableArray.Create(1, 2);
            ImmutableArray<int> noArray = default;
            ImmutableList<int> immutableList = ImmutableList.Create(1, 2, 3);
            ImmutableStack<int> immutableStack = ImmutableStack.Create(1, 2);
            ImmutableQueue<int> immutableQueue = ImmutableQueue.Create(1, 2);
            ImmutableSortedSet<int> immutableSortedSet = ImmutableSortedSet.Create(3, 1, 2);
            ImmutableDictionary<string, int> immutable = ImmutableDictionary<string, int>.Empty.Add("one", 1);
            ImmutableSortedDictionary<string, int> immutableSorted =
                ImmutableSortedDictionary<string, int>.Empty.Add("b", 2).Add("a", 1);
            ImmutableHashSet<int> immutableSet = ImmutableHashSet.Create(1, 2);
            Program.Use(immutableArray, immutableList, immutableStack, immutableQueue, immutableSortedSet); // @immutables
            Program.Use(immutable, immutableSorted, immutableSet, noArray);
        }
    }

    public class MyList : List<int>
    {
    }

    public struct Point
    {
        public int X;
        public int Y;
    }
}
