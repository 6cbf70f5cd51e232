module Called

// What the library calls for a task that has resumed, between two of its statements and at its end.

open System
open System.Collections
open System.Collections.Generic
open System.Threading.Tasks

type Resource() =
    interface IDisposable with
        member this.Dispose() = ignore this // @dispose

type Counter(last: int) =
    let mutable number = 0
    interface IEnumerator with
        member _.Current = box number
        member _.MoveNext() =
            number <- number + 1 // @next-number
            number <= last // @next-is-there
        member _.Reset() = ()
    interface IEnumerator<int> with
        member _.Current = number // @current
        member _.Dispose() = ignore last // @end-of-loop

type Numbers(last: int) =
    interface IEnumerable<int> with
        member _.GetEnumerator() : IEnumerator<int> = new Counter(last)
    interface IEnumerable with
        member _.GetEnumerator() : IEnumerator = new Counter(last)

let using (n: int) = task {
    do! Task.Yield()
    if n > 0 then // @using-if
        use resource = new Resource()
        do! Task.Delay 20 // @using-delay
    let next = n + 1 // @using-next
    return next // @using-return
}

let looping (n: int) = task {
    do! Task.Yield()
    let mutable sum = 0
    for number in Numbers n do // @looping-numbers
        sum <- sum + number // @looping-number
    for number in Seq.map (fun one -> one + n) [ 1; 2 ] do // @looping-mapped
        sum <- sum + number // @looping-sum
    return sum // @looping-return
}

let finishing (n: int) = task {
    try
        do! Task.Yield()
    finally
        ignore n // @finishing-finally
    while n < 0 do // @finishing-while
        do! Task.Yield()
    return n // @finishing-return
}

let caller () = task {
    let! a = using 1 // @caller-using
    let! b = looping 2 // @caller-looping
    let! c = finishing 1 // @caller-finishing
    return a + b + c // @caller-return
}

let last () = task {
    do! Task.Yield()
    use resource = new Resource()
    return 1 // @last-return
}

[<EntryPoint>]
let main _ =
    let total = caller().Result // @main-caller
    let more = last().Result // @main-last
    printfn "%d" (total + more) // @main-print
    0
