module Statements

open System

let values = [ 1; 2 ]
let mutable counter = 0

type Resource(name: string) =
    member _.Use(number: int) =
        counter <- counter + number // @use
        counter

    interface IDisposable with
        member _.Dispose() = Console.WriteLine name // @dispose

let fail number =
    if number > 0 then
        failwith "bad" // @throw

    number

let caught () =
    try
        try
            fail 1 // @try
        with // @with
        | :? InvalidOperationException -> 1
        | error when error.Message = "bad" -> // @rule
            2 // @ruled
    finally
        counter <- counter + 10 // @finally

let disposed () =
    use resource = new Resource("r") // @resource
    let used = resource.Use 2 // @uses
    used + 1 // @used

let generated count =
    seq {
        for i in 1..count do // @for
            counter <- counter + i // @generate
            yield i * 2 // @yield
    }

let piped () =
    let sum =
        [ 1 .. 4 ] // @pipes
        |> Seq.filter (fun value -> value > 3) // @filters
        |> Seq.map (fun value -> value * 2) // @squares
        |> Seq.fold (fun all value -> all + value) 0 // @folds
    sum + 1

[<EntryPoint>]
let main _ =
    let one = caught () // @start
    let two = disposed () // @disposes
    let three = values |> List.map (fun value -> value + counter) // @maps
    let four = generated 2 |> Seq.length // @generates
    Console.WriteLine(one + two + three.Length + four) // @last
    Console.WriteLine(piped ())
    0 // @end
