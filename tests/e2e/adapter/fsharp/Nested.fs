module Nested

// Tasks that await each other, each in another way; several of them at once.
// The delays are long: one that ends before it is awaited leaves its task on the stack of what has called it.

open System
open System.Threading
open System.Threading.Tasks

type Resource(name: string) =
    member _.Name = name
    interface IDisposable with
        member _.Dispose() = () // @dispose

let later (n: int) = task {
    do! Task.Delay(25 + n % 7) // @later-delay
    return n // @later-return
}

let passing (n: int) = task {
    do! Task.Delay 20 // @passing-delay
    return! later n // @passing-return
}

let twice (n: int) = task {
    return! passing n // @twice-return
}

let using (n: int) = task {
    do! Task.Yield() // @using-yield
    use resource = new Resource(string n) // @using-use
    let! value = passing n // @using-value
    return value + resource.Name.Length // @using-return
}

let looping (n: int) = task {
    let mutable sum = 0 // @looping-first
    for i in 1..3 do // @looping-for
        let! one = later (n + i) // @looping-await
        sum <- sum + one // @looping-sum
    return sum // @looping-return
}

let throwing (n: int) = task {
    do! Task.Delay 20 // @throwing-delay
    if n >= 0 then // @throwing-if
        failwith "thrown" // @throwing-fail
    return n
}

let catching (n: int) = task {
    try
        let! value = throwing n // @catching-await
        return value
    with _ -> // @catching-with
        do! Task.Yield() // @catching-yield
        return -n // @catching-return
}

let both (n: int) = task { // @both
    do! Task.Yield() // @both-yield
    let! a = later n // @both-a
    and! b = looping n // @both-b
    return a + b // @both-return
}

let plain (n: int) : Task = task {
    do! Task.Delay 3 // @plain-delay
    do! Task.Yield() // @plain-yield
}

let background (n: int) = backgroundTask {
    let x = n + 1 // @background-first
    do! Task.Delay 200 // @background-delay
    return x // @background-return
}

let caller (n: int) = task {
    let! a = twice n // @caller-twice
    let! b = using n // @caller-using
    let! c = looping n // @caller-looping
    let! d = catching n // @caller-catching
    let! e = both n // @caller-both
    do! plain n // @caller-plain
    let! f = background n // @caller-background
    return a + b + c + d + e + f // @caller-return
}

let many () = task {
    let! all = Task.WhenAll [| for n in 1..6 -> caller n |] // @many-all
    return Array.sum all // @many-return
}

[<EntryPoint>]
let main _ =
    let total = many().Result // @main-total
    printfn "%d" total // @main-print
    0
