/** Ids of the connections of a page, or of one of them. */
export interface CallqaIds {
  /** The call's id: ends with the same are one call. */
  call?: string;
  /** The name of this end. */
  endpoint?: string;
  /** The room that the call is in. */
  room?: string;
  /** What else is known of the call: texts and numbers, no secrets. */
  tags?: Record<string, string | number | boolean>;
}

export interface CallqaOptions extends CallqaIds {
  /** Where chunks of JSON lines are POSTed. */
  url?: string;
  /** Receives the lines instead; where it throws or rejects, it gets the same chunk again. */
  sink?: (text: string) => void | Promise<void>;
  /** Time between two statistics, ms (1000). */
  intervalMs?: number;
  /** Time between two requests, ms (4000). */
  chunkMs?: number;
  /** Whether names of microphones and cameras are written (false). */
  labels?: boolean;
  /** The most that is kept while nobody takes it, bytes (4 MiB). */
  mostBytes?: number;
  /** The share of page loads that are collected, 0 to 1 (1). */
  share?: number;
  /** Sent as `Authorization: Bearer TOKEN`. */
  token?: string;
  /** Further headers of each request. */
  headers?: Record<string, string>;
}

export interface CallqaCollector {
  /** Sends what has not been sent yet. */
  flush(): Promise<void>;
  /** Sends what is left and collects no more, until `callqaCollect` is called again. */
  stop(): Promise<void>;
  /** What has not been sent yet, for a download. */
  text(): Promise<string>;
  /** Gives a connection its ids, before its first line or later; what is not named stays. */
  name(connection: RTCPeerConnection, ids: CallqaIds): void;
  /** Writes an event of the application: of a connection, else of the latest open one or the next that is made. */
  event(name: string, args?: Record<string, unknown>, connection?: RTCPeerConnection): void;
  /** Writes the user's rating of a connection's call, else of the latest, also after its end. */
  rate(score: number, args?: Record<string, unknown>, connection?: RTCPeerConnection): void;
}

/** Begins to collect, or changes what it names: ids go to connections that have none of their own. */
export declare function callqaCollect(options?: CallqaOptions): CallqaCollector;
export default callqaCollect;

declare global {
  var callqaCollect: (options?: CallqaOptions) => CallqaCollector;
}
