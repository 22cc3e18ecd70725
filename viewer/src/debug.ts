/** `window.taut`: what is drawn, for tests and the curious. */

import * as three from "three";
import type { App } from "./app";
import type { Command } from "./types";

export function debug(app: App) {
  return {
    /** Numbers of the frame that is shown, and how it is played. */
    state: () => ({
      scene: app.scene_?.header.scene.name ?? null,
      live: app.scene_?.live ?? false,
      generation: app.scene_?.generation ?? 0,
      number: app.frameShown?.number ?? -1,
      newest: app.frameShown?.newest ?? -1,
      time: app.frameShown?.time ?? -1,
      playing: app.status_?.playing ?? false,
      speed: app.status_?.speed ?? 0,
      solver: Object.keys(app.status_?.solver ?? {})[0] ?? null,
      held: app.frameShown?.held ?? null,
      details: (app.frameShown?.details ?? null) !== null,
      selected: app.selected,
      drawn: app.stage.drawn,
      settled: app.settled,
      theme: app.theme,
      plotted: app.plots.plotted,
    }),
    /** How much of what the picture holds. */
    counts: () => ({
      bodies: app.bodies?.position.length ?? 0,
      calls: app.stage.renderer.info.render.calls,
      triangles: app.stage.renderer.info.render.triangles,
      contactDots: app.overlays.dots.count,
      contactArrows: app.overlays.forces.count,
      jointAxes: app.overlays.axes.count,
      jointArrows: app.overlays.reactions.count,
      pullArrows: app.overlays.pull.count,
    }),
    /** Where a body is, as drawn, in m and on the page in px. */
    body: (index: number) => {
      const at = app.bodies?.position[index] ?? new three.Vector3(NaN, NaN, NaN);
      return { at: at.toArray(), on: app.stage.project(at), colour: app.bodies?.colourOf(index) ?? null };
    },
    index: (name: string) => app.bodies?.header.bodies.findIndex((b) => b.name === name) ?? -1,
    /** Red, green and blue of places on the page, of a picture drawn now. */
    pixels: (places: { x: number; y: number }[]) => {
      const { renderer, scene, camera, canvas } = app.stage;
      const gl = renderer.getContext();
      const [box, colour] = [canvas.getBoundingClientRect(), new Uint8Array(4)];
      renderer.render(scene, camera);
      return places.map(({ x, y }) => {
        const u = ((x - box.left) / box.width) * canvas.width;
        const v = (1 - (y - box.top) / box.height) * canvas.height;
        gl.readPixels(Math.round(u), Math.round(v), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, colour);
        return [...colour.slice(0, 3)];
      });
    },
    /** The time of the last point of the first plot. */
    plotted: () => app.plots.last,
    /** Shows what matters, unless the scene says where to look from. */
    frame: () => {
      if (app.bodies && !app.scene_?.header.scene.camera) app.stage.frame(app.bodies.heart());
    },
    /** A picture of the scene alone, as a photograph. */
    picture: () => {
      const { renderer, scene, camera, canvas } = app.stage;
      renderer.render(scene, camera);
      return canvas.toDataURL("image/jpeg", 0.85);
    },
    /** Sends a command. */
    send: (command: Command) => app.send(command),
    /** How much of the picture's width or height the middle 90 % of the bodies take. */
    spread: () => {
      const at = (app.bodies?.position ?? []).map((p) => app.stage.project(p));
      const part = (values: number[], share: number) => values.sort((a, b) => a - b)[Math.round(share * (values.length - 1))] ?? 0;
      const range = (values: number[]) => part(values, 0.95) - part(values, 0.05);
      const { clientWidth, clientHeight } = app.stage.canvas;
      return Math.max(range(at.map((p) => p.x)) / clientWidth, range(at.map((p) => p.y)) / clientHeight);
    },
    /** Draws so many pictures as while it moves, or while only the view turns, and says how long one took in ms. */
    renders: (n: number, turning = false) => {
      const { stage } = app;
      const [start, colour] = [performance.now(), new Uint8Array(4)];
      for (let i = 0; i < n; i += 1) {
        if (turning) stage.turn(0.02, 0);
        else stage.touch();
        stage.draw();
        const gl = stage.renderer.getContext();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, colour);
      }
      const { calls, triangles } = stage.renderer.info.render;
      return { ms: (performance.now() - start) / n, size: `${stage.canvas.width}x${stage.canvas.height}`, calls, triangles };
    },
    /** Light as while it moves on a slow machine, or as else. */
    look: (plain: boolean) => app.stage.simple(plain),
    /** As few pixels as on the slowest machines. */
    coarsen: () => app.stage.coarsen(),
    camera: () => app.stage.camera.position.toArray(),
    /** The body under a place on the page. */
    under: (x: number, y: number) => app.bodies?.hit(app.stage.ray(x, y))?.body ?? -1,
  };
}

export type Debug = ReturnType<typeof debug>;
