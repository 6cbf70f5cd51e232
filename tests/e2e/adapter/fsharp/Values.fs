module Values

open System

type Shape =
    | Empty
    | Circle of radius: float
    | Named of name: string * sides: int

type Account(number: int) =
    member val Owner = "Ann" with get, set
    member _.Number = number
    override _.ToString() = sprintf "account %d" number

type Odd = { Value': int; ``two words``: int; mutable async: int; class': nativeint }

exception Refused of reason: string * code: int

[<EntryPoint>]
let main _ =
    let circle = Circle 2.5
    let account = Account 7
    let refused = Refused("late", 3)
    let anonymous = {| Width = 3; Label = "w" |}
    let cell = ref 5
    let map = Map.ofList [ "a", 1; "b", 2 ]
    let list = [ 1; 2 ]
    let some = Some 5
    let odd' = { Value' = 1; ``two words`` = 2; async = 3; class' = 4n }
    let ``odd name`` = 5n
    let async = 6
    Console.WriteLine(account) // @values
    printfn "%A" [ box circle; refused; anonymous; cell; map; list; some; odd'; ``odd name``; async ]
    0
