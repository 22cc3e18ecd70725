/** The engine, as `cargo xtask playground` makes it from crates/taut-web. */
declare module "taut-web" {
  export class Engine {
    constructor(name: string);
    receive(text: string): void;
    tick(now: number): number | undefined;
    next(): number;
    text(): string | undefined;
    bytes(): Uint8Array | undefined;
    open(text: string): void;
    rows(path: string): Uint8Array | undefined;
    scene_file(): string;
    saved(page: string, forces: boolean): string;
  }
  export function schema(): string;
  /** Loads the module. */
  export default function start(from: { module_or_path: string }): Promise<unknown>;
}

declare module "taut-web-module?url" {
  const address: string;
  export default address;
}
