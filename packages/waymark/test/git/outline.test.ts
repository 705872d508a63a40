import { describe, expect, it } from 'vitest'
import { parseUnits } from '../../src/annotation/outline/parse-outline.ts'

/** `2-4 method Client.connect` for each unit. */
async function unitsOf(path: string, text: string): Promise<string[]> {
  const units = (await parseUnits(path, text)) ?? []
  return units.map(
    ({ lines, type, name, nested }) =>
      `${lines.start}-${lines.end} ${nested === true ? 'nested ' : ''}${type} ${name}`,
  )
}

describe('outlines', () => {
  it('TypeScript: types, methods, functions in constants, objects and namespaces', async () => {
    const text = `@dec()
export class Client<T> extends Base {
  handler = async (a: number) => a
  constructor(a: string) { super() }
  @log
  async connect(a: string): Promise<void> {
    function inner() {}
  }
}
export abstract class Abs { abstract go(): void }
export interface Shape { area(): number }
export enum Color { Red }
export type Alias = string
export const LIMIT = 10
export const fn = (a: number): number => a + 1
export const api = { get(a: string) { return a }, post: () => 1 }
const { a, b } = foo()
namespace Net { export function send() {} }
export function over(a: string): void
export function over(a: unknown) {}
describe('x', () => { const local = 1 })
`
    expect(await unitsOf('a.ts', text)).toEqual([
      '1-9 class Client',
      '3-3 method Client.handler',
      '4-4 constructor Client.constructor',
      '5-8 method Client.connect',
      '7-7 nested function Client.connect.inner',
      '10-10 class Abs',
      '10-10 method Abs.go',
      '11-11 interface Shape',
      '11-11 method Shape.area',
      '12-12 enum Color',
      '13-13 type_alias Alias',
      '14-14 constant LIMIT',
      '15-15 function fn',
      '16-16 constant api',
      '16-16 function api.get',
      '16-16 function api.post',
      '18-18 namespace Net',
      '18-18 function Net.send',
      '20-20 function over',
    ])
  })

  it('TSX: components', async () => {
    expect(await unitsOf('a.tsx', 'export const App = () => <p>hi</p>\n')).toEqual([
      '1-1 function App',
    ])
  })

  it('JavaScript: prototypes and exports', async () => {
    const text =
      'Foo.prototype.z = function () {}\nmodule.exports.q = () => {}\nclass A { m() {} }\n'
    expect(await unitsOf('a.js', text)).toEqual([
      '1-1 method Foo.z',
      '2-2 function q',
      '3-3 class A',
      '3-3 method A.m',
    ])
  })

  it('Python: decorators belong to what they decorate', async () => {
    const text = `LIMIT = 10
@dataclass
class Client(Base):
    @property
    def name(self) -> str:
        def inner(): pass
        return "x"
    class Inner:
        def go(self): pass
def top(a): return a
`
    expect(await unitsOf('a.py', text)).toEqual([
      '1-1 constant LIMIT',
      '2-9 class Client',
      '4-7 method Client.name',
      '6-6 nested function Client.name.inner',
      '8-9 class Client.Inner',
      '9-9 method Client.Inner.go',
      '10-10 function top',
    ])
  })

  it('Rust: methods are named after the type that an impl is for', async () => {
    const text = `#[derive(Debug)]
pub struct MqttClient<T> { a: T }
impl<T> MqttClient<T> where T: Clone {
    pub fn connect(&mut self) -> u8 { 1 }
}
impl<T> Conn for net::MqttClient<T> { fn send(&self) {} }
pub trait Conn { fn send(&self); }
mod net { pub fn go() {} }
const LIMIT: u8 = 1;
`
    expect(await unitsOf('a.rs', text)).toEqual([
      '1-2 struct MqttClient',
      '3-5 extension MqttClient',
      '4-4 method MqttClient::connect',
      '6-6 extension MqttClient',
      '6-6 method MqttClient::send',
      '7-7 interface Conn',
      '7-7 method Conn::send',
      '8-8 module net',
      '8-8 function net::go',
      '9-9 constant LIMIT',
    ])
  })

  it('Go: methods are named after their receiver', async () => {
    const text = `package main
const ( A = 1
 B = 2 )
type Client struct { a int }
type Conn interface { Connect() error }
func (c *Client) Connect(a string) error { return nil }
func (s Set[T]) Add(x T) {}
func main() {}
`
    expect(await unitsOf('a.go', text)).toEqual([
      '2-2 constant A',
      '3-3 constant B',
      '4-4 struct Client',
      '5-5 interface Conn',
      '6-6 method Client.Connect',
      '7-7 method Set.Add',
      '8-8 function main',
    ])
  })

  it('Go: a hostile receiver takes no more than linear time', async () => {
    const text = `package main\nfunc (a${' '.repeat(100_000)}*b, c) Connect() {}\n`
    expect(await unitsOf('a.go', text)).toEqual(['2-2 method c.Connect'])
  })

  it('Java: constructors, records, nested types', async () => {
    const text = `@Anno
public class Client {
  public Client(int a) { }
  @Override public void connect() throws E { }
  interface Inner { void go(); }
}
record Point(int x) { int sum() { return x; } }
`
    expect(await unitsOf('A.java', text)).toEqual([
      '1-6 class Client',
      '3-3 constructor Client.Client',
      '4-4 method Client.connect',
      '5-5 interface Client.Inner',
      '5-5 method Client.Inner.go',
      '7-7 class Point',
      '7-7 method Point.sum',
    ])
  })

  it('C: names inside declarators, macros, prototypes only where nothing is defined', async () => {
    const text = `#define LIMIT 10
struct client { int a; };
typedef int (*cb)(int);
static int *connect_client(struct client *c, int (*cb)(int)) { return 0; }
int connect_client(int a);
int proto(int a);
void (*signal(int sig, void (*func)(int)))(int) { return 0; }
`
    expect(await unitsOf('a.c', text)).toEqual([
      '1-1 constant LIMIT',
      '2-2 struct client',
      '3-3 type_alias cb',
      '4-4 function connect_client',
      '6-6 function proto',
      '7-7 function signal',
    ])
  })

  it('C++: in-class and out-of-line methods have one name; a header with classes is C++', async () => {
    const text = `namespace net::v1 {
template <typename T> class MqttClient : public Base {
  void connect(int a) { }
  void publish();
};
void MqttClient<int>::publish() {}
}
`
    const units = [
      '1-7 namespace net::v1',
      '2-5 class net::v1::MqttClient',
      '3-3 method net::v1::MqttClient::connect',
      '6-6 method net::v1::MqttClient::publish',
    ]
    expect(await unitsOf('a.cpp', text)).toEqual(units)
    expect(await unitsOf('a.h', text)).toEqual(units)
  })

  it('C#: namespaces, properties, records', async () => {
    const text = `namespace A.B {
  public class MqttClient<T> : Base {
    public MqttClient(int a) { }
    public async Task Connect(string a) { }
    public int Size { get; set; }
    struct S { public void X() {} }
  }
  record Point(int X) { int Sum() => X; }
}
`
    expect(await unitsOf('a.cs', text)).toEqual([
      '1-9 namespace A.B',
      '2-7 class A.B.MqttClient',
      '3-3 constructor A.B.MqttClient.MqttClient',
      '4-4 method A.B.MqttClient.Connect',
      '5-5 property A.B.MqttClient.Size',
      '6-6 struct A.B.MqttClient.S',
      '6-6 method A.B.MqttClient.S.X',
      '8-8 class A.B.Point',
      '8-8 method A.B.Point.Sum',
    ])
  })

  it('Ruby: modules, singleton methods', async () => {
    const text = `module Net
  class Client < Base
    MAX = 1
    def initialize(a); end
    def self.make; end
    class << self
      def build; end
    end
  end
end
def top; end
`
    expect(await unitsOf('a.rb', text)).toEqual([
      '1-10 module Net',
      '2-9 class Net::Client',
      '3-3 constant Net::Client::MAX',
      '4-4 constructor Net::Client::initialize',
      '5-5 method Net::Client::make',
      '7-7 method Net::Client::build',
      '11-11 function top',
    ])
  })

  it('PHP: classes, traits, enums, functions', async () => {
    const text = `<?php
abstract class Client {
  const MAX = 2;
  public static function connect(string $a): bool { return true; }
}
trait T { function t() {} }
enum Color: string { case Red = 'r'; public function label() {} }
function top($a) { return 1; }
`
    expect(await unitsOf('a.php', text)).toEqual([
      '2-5 class Client',
      '3-3 constant Client::MAX',
      '4-4 method Client::connect',
      '6-6 interface T',
      '6-6 method T::t',
      '7-7 enum Color',
      '7-7 method Color::label',
      '8-8 function top',
    ])
  })

  it('Kotlin: classes, objects, companions, extensions', async () => {
    const text = `const val LIMIT = 10

open class Client<T>(val a: Int) : Base() {
    suspend fun connect(a: String): Boolean {
        return true
    }

    companion object {
        fun make() = Client(1)
    }
}

interface Conn {
    fun go()
}

object Single {
    fun run() {}
}

fun String.ext(): Int = 1
`
    expect(await unitsOf('a.kt', text)).toEqual([
      '1-1 constant LIMIT',
      '3-11 class Client',
      '4-6 method Client.connect',
      '9-9 method Client.make',
      '13-15 interface Conn',
      '14-14 method Conn.go',
      '17-19 class Single',
      '18-18 method Single.run',
      '21-21 function ext',
    ])
  })

  it('Swift: kinds of types, extensions, initialisers', async () => {
    const text = `class MqttClient: Base {
  init(a: Int) {}
  func connect(to a: String) -> Bool { return true }
}
struct Point { func sum() -> Int { 1 } }
protocol Conn { func go() }
extension MqttClient { func publish() {} }
func top(a: Int) -> Int { a }
`
    expect(await unitsOf('a.swift', text)).toEqual([
      '1-4 class MqttClient',
      '2-2 constructor MqttClient.init',
      '3-3 method MqttClient.connect',
      '5-5 struct Point',
      '5-5 method Point.sum',
      '6-6 interface Conn',
      '6-6 method Conn.go',
      '7-7 extension MqttClient',
      '7-7 method MqttClient.publish',
      '8-8 function top',
    ])
  })

  it('code that does not parse gives what can be made out, and never fails', async () => {
    expect(await unitsOf('a.ts', 'export function good() {}\nclass {{{ ) function\n')).toContain(
      '1-1 function good',
    )
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    expect(await unitsOf('a.js', `const a = ${deep}\nfunction b() {}\n`)).toContain(
      '2-2 function b',
    )
  })
})

describe('hashes of units', () => {
  const hashesOf = async (path: string, text: string) => {
    const [unit] = (await parseUnits(path, text)) ?? []
    return { content: unit?.contentHash, signature: unit?.signatureHash }
  }

  it('do not change when the code is only laid out anew', async () => {
    const one = await hashesOf(
      'a.ts',
      'export function f(a: number, b: string) { return g(a, b) }\n',
    )
    const other = await hashesOf(
      'a.ts',
      'export function f(\n  a: number,\n  b: string,\n) {\n    return g(a,b)\n}\n',
    )
    expect(other).toEqual(one)
  })

  it('tell a change of the body from a change of the signature', async () => {
    const before = await hashesOf('a.ts', 'function f(a: number) { return 1 }\n')
    const body = await hashesOf('a.ts', 'function f(a: number) { return 2 }\n')
    const head = await hashesOf('a.ts', 'function f(a: string) { return 1 }\n')
    expect(body.signature).toBe(before.signature)
    expect(body.content).not.toBe(before.content)
    expect(head.signature).not.toBe(before.signature)
  })

  it('see what belongs where in a language that shows it by indentation', async () => {
    const inside = 'def f(x):\n    if x:\n        a()\n        b()\n'
    const outside = 'def f(x):\n    if x:\n        a()\n    b()\n'
    const wider = 'def f(x):\n  if x:\n     a()\n     b()\n'
    expect(await hashesOf('a.py', outside)).not.toEqual(await hashesOf('a.py', inside))
    expect(await hashesOf('a.py', wider)).toEqual(await hashesOf('a.py', inside))
  })
})
