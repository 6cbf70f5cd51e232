using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

// Statements that end with their only `await`, and the ways in which they are left.
public static class AwaitEnds
{
    private static int rounds;

    public static async Task Main(string[] args)
    {
        for (int round = 0; round < int.Parse(args[0]); round++)
        {
            await Task.Yield(); // @yields
            rounds += round; // @yielded
        }

        await Task.Delay(1); // @first-run
        await Task.CompletedTask; // @at-once
        await Caught(); // @await-caught
        await CaughtByOuter(); // @await-caught-by-outer
        await CaughtAtOnce(); // @await-caught-at-once
        await Finally(); // @await-finally
        try
        {
            await Leaves(); // @await-leaves
        }
        catch (InvalidOperationException) // @leaves-catch
        {
            rounds++;
        }

        Task early = LeavesEarly();
        SpinWait.SpinUntil(() => early.IsCompleted);
        try
        {
            await early; // @await-late
        }
        catch (InvalidOperationException) // @late-catch
        {
            rounds++;
        }

        await InCatch(); // @await-in-catch
        await new Own(); // @own
        Forgotten(); // @forgets
        await Task.Delay(20); // @behind-forgotten
        int last = await Number(); // @value
        Console.WriteLine(rounds + last); // @end
    }

    private static async Task Fails()
    {
        await Task.Delay(5);
        throw new InvalidOperationException("late");
    }

    private static Task ThrowsAtOnce() => throw new InvalidOperationException("at once");

    private static async Task<int> Number()
    {
        await Task.Delay(5);
        return 5;
    }

    private static async Task Caught()
    {
        try
        {
            await Fails(); // @caught
            rounds++;
        }
        catch (InvalidOperationException) // @caught-catch
        {
            await Task.Yield(); // @caught-yields
        } // @caught-close

        rounds++; // @caught-after
    }

    private static async Task CaughtByOuter()
    {
        try
        {
            try
            {
                await Fails(); // @outer
            }
            catch (ArgumentException)
            {
                rounds++;
            }
        }
        catch (Exception) // @outer-catch
        {
            rounds++;
        }
    }

    private static async Task CaughtAtOnce()
    {
        try
        {
            await ThrowsAtOnce(); // @throws-at-once
        }
        catch (InvalidOperationException) // @at-once-catch
        {
            rounds++;
        }
    }

    private static async Task Finally()
    {
        try
        {
            try
            {
                await Fails(); // @finally
            }
            finally
            { // @finally-open
                rounds++;
            }
        }
        catch (InvalidOperationException) when (rounds > 0) // @finally-catch
        {
            rounds++;
        }
    }

    private static async Task Leaves()
    {
        await Task.Yield(); // @leaves-yields
        await Fails(); // @leaves
        rounds++;
    }

    private static async Task LeavesEarly()
    {
        await Task.Yield();
        await Fails(); // @leaves-early
        rounds++;
    }

    private static async Task InCatch()
    {
        try
        {
            await Fails();
        }
        catch (InvalidOperationException)
        {
            await Task.Delay(5); // @in-catch
            rounds++; // @in-catch-after
        }
    }

    private static async void Forgotten()
    {
        await Task.Delay(5); // @forgotten
        rounds++; // @forgotten-after
    }

    private struct Own : INotifyCompletion
    {
        public bool IsCompleted => false;

        public Own GetAwaiter() => this;

        public void OnCompleted(Action continuation) => Task.Run(continuation);

        public void GetResult()
        {
            rounds++; // @own-result
        }
    }
}
