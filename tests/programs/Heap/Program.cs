// A program whose heap is known: who refers to what, and what would go with an object.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace Heaps
{
    internal class Node
    {
        public Node Next;
        public byte[] Payload;
        public string Name;
    }

    internal struct Pair
    {
        public int Number;
        public Node Held;
    }

    internal static class Registry
    {
        public static Node Root;
        public static readonly List<Node> Listed = new List<Node>();
        public static readonly Pair[] Pairs = new Pair[3];
        public static readonly ConditionalWeakTable<Node, Node> Attached = new ConditionalWeakTable<Node, Node>();
    }

    internal static class Program
    {
        private static void Main()
        {
            Node shared = Make();
            Console.WriteLine("made"); // @main
            Stop(shared, new byte[] { 1, 2, 3, 4, 5 });
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static Node Make()
        {
            var shared = new Node { Name = "shared" };
            Registry.Root = new Node { Name = "root", Payload = new byte[1000], Next = new Node { Name = "next", Next = shared } };
            Registry.Root.Next.Payload = new byte[2000];
            Registry.Listed.Add(shared);
            Registry.Pairs[2].Held = shared;
            Registry.Attached.Add(Registry.Root.Next, new Node { Name = "attached" });
            return shared;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void Stop(Node shared, byte[] bytes)
        {
            string text = "text";
            Span<int> span = stackalloc int[] { 7, 8, 9 };
            int number = 5;
            Console.WriteLine(shared.Name + text + bytes.Length + span.Length + number); // @stop
            Console.WriteLine(bytes[1] + " " + number); // @after
        }
    }
}
