using System;
using System.Collections;
using System.Collections.Concurrent;
#if NET8_0_OR_GREATER
using System.Collections.Frozen;
#endif
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Linq;

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
            Logged();
        }

        // Collections whose items the program writes itself, in its own order.
        private static void Logged()
        {
            ConcurrentQueue<int> ring = new ConcurrentQueue<int>();
            for (int i = 0; i < 100; i++)
            {
                ring.Enqueue(i);
            }
            for (int i = 0; i < 50; i++)
            {
                ring.TryDequeue(out _);
            }
            ConcurrentQueue<int> noRing = new ConcurrentQueue<int>();
            ConcurrentBag<int> bag = new ConcurrentBag<int> { 1, 2, 3 };
            bag.TryTake(out _);
            bag.Add(4);
            BlockingCollection<int> blocking = new BlockingCollection<int> { 5, 6 };
            ImmutableDictionary<int, string> trie = ImmutableDictionary<int, string>.Empty;
            ImmutableHashSet<Collided> collided = ImmutableHashSet<Collided>.Empty;
            for (int i = 0; i < 20; i++)
            {
                trie = trie.Add(i * 7919, "v" + i);
                collided = collided.Add(new Collided { Number = i });
            }
            ImmutableQueue<int> twoStacks = ImmutableQueue.Create(1, 2, 3).Enqueue(4).Enqueue(5).Dequeue();
            ImmutableArray<int>.Builder arrayBuilder = ImmutableArray.CreateBuilder<int>();
            arrayBuilder.Add(9);
            ImmutableList<int>.Builder listBuilder = ImmutableList.Create(3, 4).ToBuilder();
            ImmutableDictionary<int, string>.Builder trieBuilder = trie.ToBuilder();
            trieBuilder.Remove(0);
            ILookup<bool, int> lookup = new[] { 1, 2, 3 }.ToLookup(number => number % 2 == 0);
            IGrouping<bool, int> group = lookup.First();
            Dictionary<int, string> source = new Dictionary<int, string> { [1] = "one", [2] = "two", [3] = "three" };
            source.Remove(2);
            Dictionary<int, string>.KeyCollection keys = source.Keys;
            Dictionary<int, string>.ValueCollection values = source.Values;
            Queue oldQueue = new Queue(new[] { 1, 2 });
            Stack oldStack = new Stack(new[] { 1, 2 });
            SortedList oldSorted = new SortedList { [2] = "two", [1] = "one" };
            System.Collections.Specialized.StringCollection strings =
                new System.Collections.Specialized.StringCollection { "s" };
            System.Collections.Specialized.ListDictionary listed =
                new System.Collections.Specialized.ListDictionary { [1] = "one", [2] = "two" };
            "".Log("ring", ring).Log("noRing", noRing).Log("bag", bag).Log("blocking", blocking).Log("trie", trie);
            "".Log("collided", collided).Log("twoStacks", twoStacks).Log("arrayBuilder", arrayBuilder);
            "".Log("listBuilder", listBuilder).Log("trieBuilder", trieBuilder).Log("group", group).Log("keys", keys);
            "".Log("values", values).Log("oldQueue", oldQueue).Log("oldStack", oldStack).Log("oldSorted", oldSorted);
            "".Log("strings", strings).Log("listed", listed);
#if NET8_0_OR_GREATER
            Dictionary<string, int> words = new Dictionary<string, int> { ["one"] = 1, ["three"] = 3, ["eleven"] = 11 };
            FrozenDictionary<string, int> frozenWords = words.ToFrozenDictionary();
            FrozenDictionary<int, string> frozenNumbers = source.ToFrozenDictionary();
            FrozenDictionary<Guid, int> frozenOthers =
                Enumerable.Range(0, 20).ToFrozenDictionary(number => new Guid(number, 0, 0, new byte[8]));
            FrozenSet<string> frozenNames = words.Keys.ToFrozenSet();
            FrozenSet<int> frozenSet = Enumerable.Range(0, 30).Select(number => number * 1000).ToFrozenSet();
            "".Log("frozenWords", frozenWords).Log("frozenNumbers", frozenNumbers).Log("frozenOthers", frozenOthers);
            "".Log("frozenNames", frozenNames).Log("frozenSet", frozenSet);
#endif
#if NET9_0_OR_GREATER
            System.Collections.Generic.OrderedDictionary<int, string> ordered =
                new System.Collections.Generic.OrderedDictionary<int, string> { [5] = "five", [1] = "one" };
            ordered.Remove(5);
            ordered.Add(0, "zero");
            ReadOnlySet<int> readOnlySet = new ReadOnlySet<int>(new HashSet<int> { 1, 2 });
            "".Log("ordered", ordered).Log("readOnlySet", readOnlySet);
#endif
            Around();
            Answering answering = new Answering();
            Console.WriteLine("logged");
            Console.WriteLine(lookup.Count); // @logged
        }

        // Classes derived from collections that keep their items elsewhere: their bases' own fields are empty.
        private static void Around()
        {
            ArrayList list = new ArrayList { 1, "two", 3, 4 };
            ArrayList synchronized = ArrayList.Synchronized(list);
            ArrayList readOnlyList = ArrayList.ReadOnly(list);
            ArrayList fixedSize = ArrayList.FixedSize(list);
            ArrayList part = list.GetRange(1, 2);
            ArrayList ofPart = ArrayList.ReadOnly(part);
            ArrayList adapted = ArrayList.Adapter(new[] { 7, 8 });
            Hashtable table = new Hashtable();
            for (int i = 0; i < 30; i++)
            {
                table[i * 7919] = i;
            }
            table.Remove(7919);
            Hashtable synchronizedTable = Hashtable.Synchronized(table);
            Queue queue = Queue.Synchronized(new Queue(new[] { 1, 2 }));
            Stack stack = Stack.Synchronized(new Stack(new[] { 1, 2 }));
            ImmutableSortedSet<int>.Builder setBuilder = ImmutableSortedSet.Create(3, 1, 2).ToBuilder();
            ImmutableSortedDictionary<int, int>.Builder sortedBuilder =
                ImmutableSortedDictionary<int, int>.Empty.Add(2, 20).Add(1, 10).ToBuilder();
            SortedSet<int> sorted = new SortedSet<int> { 1, 2, 3, 4, 5 };
            SortedSet<int> view = sorted.GetViewBetween(2, 4);
            sorted.Remove(3);
            System.Net.WebHeaderCollection headers = new System.Net.WebHeaderCollection { ["Accept"] = "x" };
            "".Log("synchronized", synchronized).Log("readOnlyList", readOnlyList).Log("fixedSize", fixedSize);
            "".Log("part", part).Log("ofPart", ofPart).Log("adapted", adapted).Log("table", table);
            "".Log("synchronizedTable", synchronizedTable).Log("queue", queue).Log("stack", stack);
            "".Log("setBuilder", setBuilder).Log("sortedBuilder", sortedBuilder);
#if NET8_0_OR_GREATER
            PriorityQueue<int, int> priorities = new PriorityQueue<int, int>(new[] { (1, 5) });
            PriorityQueue<int, int>.UnorderedItemsCollection unordered = priorities.UnorderedItems;
            Program.Use(unordered);
#endif
            Console.WriteLine("around");
            Program.Use(view, headers); // @around
        }

        private static string Log(this string before, string name, IEnumerable items)
        {
            List<string> texts = new List<string>();
            foreach (object item in items)
            {
                dynamic one = item;
                bool isPair = item is DictionaryEntry || item.GetType().Name == "KeyValuePair`2";
                texts.Add(isPair ? one.Key + "=" + one.Value : item.ToString());
            }
            Console.WriteLine("items of " + name + ": " + string.Join("|", texts));
            return before;
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
            PriorityQueue<(int A, string B), int> ofPairs = new PriorityQueue<(int A, string B), int>();
            ofPairs.Enqueue((1, "one"), 2);
            Program.Use(priority, ofPairs);
#endif
            BitArray bits = new BitArray(new[] { true, false, true });
            BitArray manyBits = new BitArray(100) { [0] = true, [37] = true, [99] = true };
            System.Collections.Specialized.NameValueCollection names =
                new System.Collections.Specialized.NameValueCollection { { "k", "v" }, { "k", "w" }, { "j", "x" } };
            System.Collections.Specialized.StringDictionary words =
                new System.Collections.Specialized.StringDictionary { ["x"] = "y" };
            System.Collections.Specialized.HybridDictionary hybrid =
                new System.Collections.Specialized.HybridDictionary { [1] = 2 };
            System.Collections.Specialized.OrderedDictionary oldOrdered =
                new System.Collections.Specialized.OrderedDictionary { ["b"] = 1, ["a"] = 2 };
            System.Dynamic.ExpandoObject bag = new System.Dynamic.ExpandoObject();
            IDictionary<string, object> members = bag;
            members["Name"] = "n";
            members["Gone"] = 1;
            members["Count"] = 3;
            members.Remove("Gone");
            Program.Use(bits, manyBits, names, words, hybrid, oldOrdered, bag);
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

    [System.Diagnostics.DebuggerDisplay("{Number}")]
    public class Collided
    {
        public int Number;

        public override int GetHashCode() => Number % 3;

        public override string ToString() => Number.ToString();
    }

    public class Answering : System.Dynamic.DynamicObject
    {
        [System.Diagnostics.DebuggerBrowsable(System.Diagnostics.DebuggerBrowsableState.Never)]
        public int Asked;

        public override IEnumerable<string> GetDynamicMemberNames() => new[] { "Length", "Name" };

        public override bool TryGetMember(System.Dynamic.GetMemberBinder binder, out object result)
        {
            Asked++;
            result = binder.Name == "Length" ? (object)4 : "it";
            return binder.Name == "Length" || binder.Name == "Name";
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
