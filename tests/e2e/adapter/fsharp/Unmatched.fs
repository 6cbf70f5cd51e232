module Unmatched

open System
open System.Threading.Tasks

let fails () =
    if DateTime.Now.Year > 2000 then
        raise (InvalidOperationException "fails") // @fails

// Without a case for the exception the compiler's code throws it again, behind the last case.
let unmatched () =
    try
        fails () // @calls
    with
    | :? ArgumentException -> printfn "argument"
    | :? FormatException as e -> printfn "%s" e.Message

let again () =
    try
        fails ()
    with
    | :? ArgumentException -> printfn "argument"
    | _ -> reraise () // @reraise

let disposes () =
    task {
        use _ = new System.Threading.CancellationTokenSource()
        fails ()
        do! Task.Yield()
    }

let ends () =
    task {
        try
            do! Task.Yield()
            fails ()
        finally
            printfn "finally"
    }

let taken name f =
    try
        f ()
    with
    | :? InvalidOperationException -> printfn "%s" name

[<EntryPoint>]
let main args =
    match args.[0] with
    | "unmatched" -> taken "unmatched" unmatched
    | "again" -> taken "again" again
    | "disposes" -> (disposes () :> Task).ContinueWith(fun (_: Task) -> ()).Wait()
    | "finally" -> (ends () :> Task).ContinueWith(fun (_: Task) -> ()).Wait()
    | _ -> unmatched ()

    0
