namespace Xunit

open System

type FactAttribute() =
    inherit Attribute()

namespace FSharpTests

open Xunit

module Sums =
    [<Fact>]
    let ``adds two numbers`` () = // @adds
        if 1 + 1 <> 2 then failwith "no"

    [<Fact>]
    let Waits () =
        task {
            do! System.Threading.Tasks.Task.Delay 1
        }

    [<EntryPoint>]
    let main _ = 0
