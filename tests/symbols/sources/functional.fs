module Functional

open System
open System.Threading.Tasks

type Shape =
    | Circle of radius: float
    | Square of side: float
    | Empty

type Record = { Name: string; mutable Age: int }

[<Struct>]
type Vector = { X: float; Y: float } with static member (+) (a, b) = { X = a.X + b.X; Y = a.Y + b.Y }

let inline twice f x = f (f x)

let area shape =
    match shape with
    | Circle r when r > 0.0 -> Math.PI * r * r
    | Circle _ -> 0.0
    | Square s -> s * s
    | Empty -> nan

let shadow data =
    let data = data + 1
    let data = data * 2
    let data = sprintf "%d" data
    data

let rec fold f state list =
    match list with
    | [] -> state
    | head :: tail -> fold f (f state head) tail

let closures n =
    let mutable total = 0
    let add x = x + n
    for i in 1..n do
        total <- total + twice add i
    [ for i in 1..3 do if i % 2 = 1 then yield add i ], seq { for i in 1..3 -> add i }, total

let work () =
    task {
        let! value = Task.FromResult 3
        do! Task.Delay 1
        return value + 1
    }

let asynchronous () = async {
    let! x = async { return 5 }
    return x
}

type Counter(start: int) =
    let mutable count = start
    member _.Next() = count <- count + 1; count
    member val Name = "counter" with get, set
    interface IDisposable with member _.Dispose() = ()

[<Literal>]
let Limit = 5

[<EntryPoint>]
let main argv =
    printfn "%f %s" (area (Circle 2.0)) (shadow Limit)
    let lists, lazySeq, total = closures argv.Length
    printfn "%A %A %d %d" lists lazySeq total ((work ()).Result)
    0
