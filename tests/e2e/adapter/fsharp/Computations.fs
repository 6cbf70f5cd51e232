module Computations

open System
open System.Threading.Tasks

// Tasks and asyncs that suspend, several of them at once.
let worker (number: int) = task {
    let first = number + 1 // @worker-first
    do! Task.Delay(number % 3 + 1) // @worker-delay
    let second = first + number // @worker-second
    do! Task.Yield() // @worker-yield
    let! third = Task.FromResult second // @worker-third
    let mutable rounds = 0 // @worker-rounds
    while rounds < 2 do // @worker-while
        do! Task.Yield() // @worker-round
        rounds <- rounds + 1 // @worker-next
    return third - second // @worker-return
}

let rec factorial number = task {
    if number <= 1 then // @factorial
        return 1
    else
        do! Task.Delay 50 // @factorial-yield
        let! below = factorial (number - 1) // @factorial-below
        return below * number // @factorial-return
}

let failing () = task {
    try
        do! Task.Delay 100 // @failing-delay
        return Int32.Parse "thrown" // @failing-throw
    with error -> // @failing-with
        return error.Message.Length // @failing-return
}

let doubled number = async {
    do! Async.Sleep 5 // @doubled-sleep
    let twice = number * 2 // @doubled-twice
    do! Async.Sleep 5 // @doubled-again
    return twice // @doubled-return
}

let summed number = async {
    let! first = doubled number // @summed-first
    let! second = doubled first // @summed-second
    return first + second // @summed-return
}

let all () = task {
    let! results = Task.WhenAll [| for number in 1..8 -> worker number |] // @all-workers
    let! product = factorial 4 // @all-factorial
    let! length = failing () // @all-failing
    return Array.sum results + product + length // @all-return
}

[<EntryPoint>]
let main _ =
    let total = all().Result // @main-total
    let sum = summed 3 |> Async.RunSynchronously
    printfn "%d" (total + sum)
    0
