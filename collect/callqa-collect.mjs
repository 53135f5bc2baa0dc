// callqa-collect as an ES module: import { callqaCollect } from "callqa-collect", before the application's own imports.
import "./callqa-collect.js";

export const callqaCollect = globalThis.callqaCollect;
export default callqaCollect;
