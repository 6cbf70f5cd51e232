// Headers of functions: a breakpoint on a line with `>name` in its comment stands at the line with `=name`, in optimised
// code at the one with `+name` where there is one. A line with `-` in its comment has no place for a breakpoint.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

Console.WriteLine(First(1) + new Members(1).Sum + new Members(2)[1] + new Members(3).Arrow + Last() + Other(1));

// above it >first

int First(int x) // >first
{ // =first
    return x; // +first
}
// between them >slow
static // >slow
async Task<int> Slow(int x, // >slow
    string s = ";{") // >slow
{ // =slow
    await Task.Yield(); // =awaits +slow
    const int limit = 5; // >own

    /// <summary>above it</summary> >inner
    [Obsolete("{")] // >inner
    int Inner(int y) // >inner
    { // =inner
        int undecided; // >assigns

        int Deep() // >deep
            => 4; // =deep

        undecided = Deep() + y; // =assigns +inner
        return undecided; // =returns
    }

    int later; // >own

    IEnumerable<T> Iterates<T>(T t) // >iterates
    { // =iterates
        yield return t; // +iterates
    }

    Func<int, int> lambda = // =own +in-lambda +local
        q => // >own
        { // =lambda
            int w; // >in-lambda

            // above it >local
            int Local(int a) // >local
            { // =local
                return a + w;
            }

            w = 2; // =in-lambda
            // of the lambda >of-lambda
            return Local(q); // =of-lambda
        };

    // of the method >loop
    foreach (var one in Iterates(limit)) Console.WriteLine(lambda(one) + Inner(s.Length)); // =loop
    later = x;
    return later;
}

// with the statements on it >calls
await Slow(1); int Beside(int x) => x; int Other(int x) { // =calls
    return Beside(x);
}

static int Last() // >last

{ // =last
    return 1; // +last
}
// behind all -

[Serializable] // >constructor
class Members(int x) // >constructor
    : Base(x) // =constructor
{
    [Obsolete] // >sum
    public int Sum // >sum
    { // >sum
        get // >sum
        { // =sum
            return 1; // +sum
        }

        private set { }
    }

    // above a member -
    public int this[int i] // >item
        => i; // =item

    public event Action Happens // >add
    { // >add
        add // >add
        { // =add
        } // +add
        remove { }
    }

    public static Members operator +(Members a, Members b) // >plus
        => a; // =plus

    public static implicit operator // >int
        int(Members a) => 1; // =int

    public int Auto // >auto
    { // >auto
        get; // =auto
        set;
    }

    public int Reversed
    {
        set // >set
        { // =set
            Auto = value; // +set
        }
        get // >get
        { // =get
            return Auto; // +get
        }
    }

    public // >arrow
        int // >arrow
        Arrow // >arrow
        => // >arrow
            4; // =arrow

    public Members(string s) // >chained
        : this(s.Length) // =chained
    {
    }

    public int Late() // >late
    { // =late
        int Before() => 1;
        return Before(); // +late
    }

    public IEnumerable<int> Iterator()
    {
        try
        {
            yield return 1;
        }
        finally // >finally
        { // =finally
            Auto = 2; // +finally
        }

        // behind it >behind
        Auto = 3; // =behind
    }

    public abstract class Empty // -
    { // -
        public abstract int None // -
        { // -
            get; // -
        }
    }
}

class Base(int b)
{ // -
    public int B => b;
}
