module Pending

// Tasks that wait, each at another kind of await, while one of them runs.

open System
open System.Collections.Generic
open System.Threading
open System.Threading.Tasks

type Resource(name: string) =
    member _.Name = name
    interface IDisposable with
        member _.Dispose() = ()

let gate = TaskCompletionSource<int>()
let never: Task = TaskCompletionSource<int>().Task

let first (number: int) = task {
    let! value = gate.Task // @first
    return value + number
}

let second (number: int) = task {
    do! Task.Yield()
    let text = string number
    let! value = first number // @second
    return value + text.Length
}

let passing (number: int) = task {
    return! second number // @passing
}

let passingOneOf (number: int) = task {
    if number > 0 then
        return! second number
    else
        return! first number
}

let multiple (number: int) = task {
    let! value = // @multiple
        gate.Task
    return value + number
}

let looping (number: int) = task {
    let mutable sum = number
    for i in 1..3 do
        do! Task.Delay 1
        let! one = first i // @looping
        sum <- sum + one
    return sum
}

let catching (number: int) = task {
    try
        try
            let! value = first number // @catching
            return value
        with _ ->
            return -1
    finally
        printf ""
}

let handling (number: int) = task {
    try
        failwith "thrown"
        return number
    with _ ->
        do! never // @handling
        return -1
}

let using (number: int) = task {
    use resource = new Resource(string number)
    do! Task.Yield()
    let! value = first number // @using
    return value + resource.Name.Length
}

let both (number: int) = task {
    let! a = first number // @both
    and! b = gate.Task
    return a + b
}

let plain () : Task = task {
    do! never // @plain
}

let branch (number: int) = task {
    let text = string number
    if number > 0 then
        do! never // @branch-then
    else
        do! never // @branch-else
    return text
}

let matching (number: int) = task {
    match number with
    | 1 ->
        let! value = gate.Task // @matching
        return value
    | _ -> return 0
}

let conditional (number: int) = task {
    while number > 0 do
        do! never // @conditional
    return number
}

let ending () = backgroundTask {
    do! Task.Delay Timeout.Infinite // @ending
}

let semaphore = new SemaphoreSlim(0)

let entering (number: int) = task {
    do! semaphore.WaitAsync() // @entering
    return number
}

let computed (number: int) = task {
    let! value = async { // @computed
        do! Async.Sleep Timeout.Infinite
        return number
    }
    return value
}

let valued () = task {
    do! ValueTask never // @valued
    do! never.ConfigureAwait false
}

let configured () = task {
    do! never.ConfigureAwait false // @configured
}

type Generic<'T>(value: 'T) =
    member this.Wait(other: 'U) = task {
        let! number = gate.Task // @member
        return number, value, other
    }

let outer (number: int) = task {
    let inner = fun () -> task {
        do! never // @inner
    }
    do! inner () // @outer
    return number
}

let whenAll () = task {
    let! all = Task.WhenAll [| for n in 1..3 -> first n |] // @when-all
    return all.Length
}

let doAll () = task {
    do! Task.WhenAll [| for n in 1..3 -> plain () |] // @do-all
    return 1
}

let doAllInBranch (number: int) = task {
    let text = string number
    if number > 0 then
        do! Task.WhenAll(
            [ for n in 1..3 do
                if n > 1 then
                    yield plain () ])
    return text
}

let doAllOnLines () = task {
    do! Task.WhenAll [|
            for n in 1..3 do
                yield plain ()
        |]
    return 1
}

let doOneOf (number: int) = task {
    do! (match number with
         | 1 -> plain ()
         | _ -> never)
    return 1
}

let doLast () = task {
    do! (printf ""
         never)
    return 1
}

let main () = task {
    do! Task.Delay 500
    return 1 // @running
}

[<EntryPoint>]
let entry _ =
    let kept = List<obj>()
    kept.Add(passing 1)
    kept.Add(passingOneOf 1)
    kept.Add(multiple 2)
    kept.Add(looping 3)
    kept.Add(catching 4)
    kept.Add(handling 4)
    kept.Add(using 5)
    kept.Add(both 6)
    kept.Add(branch 1)
    kept.Add(branch 0)
    kept.Add(matching 1)
    kept.Add(conditional 1)
    kept.Add(ending ())
    kept.Add(entering 8)
    kept.Add(computed 9)
    kept.Add(valued ())
    kept.Add(configured ())
    kept.Add(Generic<string>("x").Wait 1.5)
    kept.Add(outer 10)
    kept.Add(whenAll ())
    kept.Add(doAll ())
    kept.Add(doAllInBranch 1)
    kept.Add(doAllOnLines ())
    kept.Add(doOneOf 1)
    kept.Add(doLast ())
    let result = main().Result
    GC.KeepAlive kept
    result
