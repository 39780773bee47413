// Driver for compilers without libFuzzer: replays and mutates inputs.
//
//     TARGET FILE|FOLDER...                     replay each once
//     TARGET -seconds=S -keep=FILE FOLDER...    then mutate them for S seconds
//
// Mutation does not use coverage. The current input is kept in FILE, which remains after a crash;
// an alarm ends inputs that hang.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kLongest = 4096;
constexpr unsigned kHangSeconds = 30;

Bytes contents(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::filesystem::path> files_in(const char* place) {
    std::vector<std::filesystem::path> files;
    if (std::filesystem::is_directory(place)) {
        for (const auto& entry : std::filesystem::directory_iterator(place))
            if (entry.is_regular_file()) files.push_back(entry.path());
        std::sort(files.begin(), files.end());
    } else {
        files.emplace_back(place);
    }
    return files;
}

// A mutated copy of an input, or a combination of two.
Bytes mutated(const std::vector<Bytes>& inputs, std::mt19937_64& random) {
    const auto any = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
    Bytes bytes = inputs[any(inputs.size())];
    for (std::size_t changes = 1 + any(6); changes > 0; --changes) {
        if (bytes.empty()) bytes.resize(1 + any(64));
        std::uint8_t& at = bytes[any(bytes.size())];
        switch (random() % 6) {
            case 0:
                at = static_cast<std::uint8_t>(random());
                break;
            case 1:
                at ^= static_cast<std::uint8_t>(1u << random() % 8);
                break;
            case 2:
                at = static_cast<std::uint8_t>(at + (random() % 2 ? 1 : -1));
                break;
            case 3:
                bytes.erase(bytes.begin() + (&at - bytes.data()));
                break;
            case 4:
                bytes.insert(bytes.begin() + (&at - bytes.data()),
                             static_cast<std::uint8_t>(random()));
                break;
            default: {
                const Bytes& other = inputs[any(inputs.size())];
                if (other.empty()) break;
                const std::size_t from = any(other.size());
                bytes.resize(any(bytes.size()));
                bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(from),
                             other.end());
            }
        }
    }
    while (bytes.size() < 64) bytes.push_back(static_cast<std::uint8_t>(random()));
    bytes.resize(std::min(bytes.size(), kLongest));
    return bytes;
}

// A memory-mapped file: its contents remain after a crash without further calls.
class CurrentInput {
  public:
    explicit CurrentInput(const char* path) {
        std::FILE* file = std::fopen(path, "w+b");
        if (!file || ftruncate(fileno(file), kLongest) != 0) {
            std::fprintf(stderr, "cannot write %s\n", path);
            std::exit(2);
        }
        path_ = path;
        void* pages = mmap(nullptr, kLongest, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
        std::fclose(file);
        if (pages == MAP_FAILED) std::exit(2);
        pages_ = static_cast<std::uint8_t*>(pages);
    }
    // Bytes beyond the input are 0, as a target reads them anyway.
    void write(const Bytes& bytes) {
        std::memcpy(pages_, bytes.data(), bytes.size());
        std::memset(pages_ + bytes.size(), 0, kLongest - bytes.size());
    }
    void remove() { std::filesystem::remove(path_); }

  private:
    std::string path_;
    std::uint8_t* pages_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
    double seconds = 0;
    const char* keep = nullptr;
    std::vector<Bytes> inputs;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word.starts_with("-seconds=")) {
            seconds = std::atof(argv[i] + std::strlen("-seconds="));
        } else if (word.starts_with("-keep=")) {
            keep = argv[i] + std::strlen("-keep=");
        } else {
            for (const auto& path : files_in(argv[i])) {
                inputs.push_back(contents(path));
                alarm(kHangSeconds);
                LLVMFuzzerTestOneInput(inputs.back().data(), inputs.back().size());
                alarm(0);
            }
        }
    }
    if (inputs.empty()) {
        std::fprintf(stderr, "no input to replay\n");
        return 2;
    }
    std::printf("%zu inputs replayed\n", inputs.size());
    if (seconds <= 0 || !keep) return 0;

    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    std::mt19937_64 random(std::random_device{}());
    CurrentInput kept(keep);
    std::size_t runs = 0;
    for (; Clock::now() < end; ++runs) {
        const Bytes bytes = mutated(inputs, random);
        kept.write(bytes);
        alarm(kHangSeconds);
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
        alarm(0);
    }
    kept.remove();
    std::printf("%zu inputs tried\n", runs);
    return 0;
}
