/* An engine that answers at once, for make bench-pipes: its arguments are the moves of a
   game, and to go it answers with the one that follows the moves it was told of. */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
	static char line[1 << 16];
	int next = 1;
	while (fgets(line, sizeof line, stdin)) {
		if (!strncmp(line, "position", 8)) {
			next = 1;
			char *p = strstr(line, " moves ");
			if (p)
				for (p += 6; (p = strchr(p, ' ')); p++)
					next++;
		} else if (!strncmp(line, "go", 2)) {
			const char *move = next < argc ? argv[next] : "(none)";
			printf("info depth 1 seldepth 1 score cp 10 nodes 1 nps 1000 time 1 pv %s\n", move);
			fflush(stdout);
			printf("bestmove %s\n", move);
			fflush(stdout);
		} else if (!strncmp(line, "isready", 7)) {
			puts("readyok");
			fflush(stdout);
		} else if (!strncmp(line, "uci\n", 4)) {
			puts("id name answer\nuciok");
			fflush(stdout);
		} else if (!strncmp(line, "quit", 4))
			return 0;
	}
	return 0;
}
