#include "sim/study/fork_pool.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <thread>
#include <vector>

#include "base/error.h"

namespace trn {
namespace {

struct Child {
  std::size_t item;
  pid_t pid;
  int pipe;
  std::string text;
};

// The first byte is the exit code: what follows is only whole if the process also ended well.
[[noreturn]] void be_child(int pipe, pid_t parent, const std::function<std::string()>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody computes for a parent that is gone
  if (getppid() != parent) _exit(1);
  std::string text;
  ExitCode code = ExitCode::kOk;
  try {
    text = work();
  } catch (const UserError& error) {
    text = error.what();
    code = error.code();
  } catch (const std::exception& error) {
    text = std::string("internal error: ") + error.what();
    code = ExitCode::kInternal;
  }
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = write(pipe, text.data() + at, text.size() - at);
    if (written <= 0) _exit(static_cast<int>(ExitCode::kInternal));
    at += static_cast<std::size_t>(written);
  }
  _exit(static_cast<int>(code));
}

Child start(std::size_t item, const std::vector<Child>& others, const std::function<std::string()>& work) {
  int ends[2];
  TRN_CHECK(pipe(ends) == 0, "no pipe for a worker");
  std::fflush(nullptr);  // or the child would write it again
  const pid_t parent = getpid();
  const pid_t pid = fork();
  TRN_CHECK(pid >= 0, "no process for a worker");
  if (pid == 0) {
    close(ends[0]);
    for (const Child& other : others) close(other.pipe);
    be_child(ends[1], parent, work);
  }
  close(ends[1]);
  return {item, pid, ends[0], ""};
}

WorkResult finish(const Child& child) {
  close(child.pipe);
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return {WEXITSTATUS(status), child.text};
  const int signal = WTERMSIG(status);
  return {128 + signal, "killed by signal " + std::to_string(signal)};
}

// Waits for bytes of any child and takes them; true for the one at its end, if any.
std::vector<Child>::iterator wait_for_end(std::vector<Child>& running) {
  while (true) {
    std::vector<pollfd> pipes;
    for (const Child& child : running) pipes.push_back({child.pipe, POLLIN, 0});
    if (poll(pipes.data(), pipes.size(), -1) < 0) continue;
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (pipes[i].revents == 0) continue;
      char bytes[65536];
      const ssize_t got = read(running[i].pipe, bytes, sizeof bytes);
      if (got <= 0) return running.begin() + static_cast<std::ptrdiff_t>(i);
      running[i].text.append(bytes, static_cast<std::size_t>(got));
    }
  }
}

}  // namespace

void run_forked(std::size_t n, std::size_t jobs, const std::function<std::string(std::size_t)>& work,
                const std::function<void(std::size_t, const WorkResult&)>& done) {
  if (jobs == 0) jobs = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Child> running;
  for (std::size_t next = 0; next < n || !running.empty();) {
    if (next < n && running.size() < jobs) {
      running.push_back(start(next, running, [&work, next] { return work(next); }));
      ++next;
      continue;
    }
    const auto ended = wait_for_end(running);
    const Child child = std::move(*ended);
    running.erase(ended);
    done(child.item, finish(child));
  }
}

}  // namespace trn
