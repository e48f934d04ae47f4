// SPDX-License-Identifier: Apache-2.0
// One kernel of a code object on a real GPU: the launch that the executor has recorded, on the same
// bytes. Every buffer lies between zones that nothing may write.
#include "runner/gpu_launch.h"

#include <fmt/format.h>

#include <cstring>

#include "ambidex/base.h"
#include "base/files.h"
#include "base/text.h"
#include "runner/gpu_driver.h"
#include "runner/request.h"

namespace ambidex::runner {
namespace {

constexpr size_t kZoneBytes = 512;  // keeps the alignment that allocations of both vendors have
constexpr unsigned char kZoneByte = 0xc3;
constexpr int64_t kMaxObjectBytes = int64_t{1} << 30;

struct DeviceBuffer {
  GpuAddress address = 0;
  size_t num_bytes = 0;
  bool has_zones = false;  // a variable of the module has none
};

// A step that failed, as what the kernel's run came to.
struct Stopped {
  const char* status;  // "refused" before the kernel ran, else "crash"
  std::string message;
};

void must(const std::optional<GpuFailure>& failure, const char* status) {
  if (failure) throw Stopped{status, failure->text};
}

GpuVendor vendor_of(const nlohmann::json& request) {
  const auto name = request.at("vendor").get<std::string>();
  if (name == "nvidia") return GpuVendor::nvidia;
  if (name == "amd") return GpuVendor::amd;
  throw Error(ErrorKind::bad_input,
              fmt::format("vendor: got {}; it is nvidia or amd", quote(name)));
}

GpuDriver open(GpuVendor vendor) {
  std::optional<GpuDriver> driver = GpuDriver::open(vendor);
  if (driver) return *std::move(driver);
  throw Error(ErrorKind::unsupported, fmt::format("no GPU of {} can be used here",
                                                  vendor == GpuVendor::nvidia ? "NVIDIA" : "AMD"));
}

// The first that this device takes and that has the kernel.
void* load_kernel(GpuDriver& driver, const std::vector<std::string>& objects,
                  const std::string& symbol) {
  std::string why = "there is none";
  for (const std::string& path : objects) {
    void* kernel = nullptr;
    auto failure = driver.load(read_file(path, kMaxObjectBytes));
    if (!failure) failure = driver.find_kernel(symbol, &kernel);
    if (!failure) return kernel;
    why = failure->text;
  }
  throw Error(ErrorKind::unsupported,
              fmt::format("no object has {} for {}: {}", quote(symbol), driver.device(), why));
}

std::string contents_of(const Buffer& buffer) {
  std::string contents = buffer.contents;
  contents.resize(static_cast<size_t>(buffer.num_bytes), static_cast<char>(buffer.poison));
  return contents;
}

DeviceBuffer place(GpuDriver& driver, const Buffer& buffer) {
  DeviceBuffer placed{.num_bytes = static_cast<size_t>(buffer.num_bytes)};
  if (!buffer.variable.empty()) {
    size_t num_bytes = 0;
    must(driver.find_variable(buffer.variable, &placed.address, &num_bytes), "refused");
    if (num_bytes != placed.num_bytes) {
      throw Stopped{"refused", fmt::format("{} has {} bytes there, {} here", quote(buffer.variable),
                                           num_bytes, placed.num_bytes)};
    }
  } else {
    GpuAddress start = 0;
    const size_t whole = placed.num_bytes + 2 * kZoneBytes;
    must(driver.allocate(&start, whole), "refused");
    must(driver.fill(start, kZoneByte, whole), "refused");
    placed.address = start + kZoneBytes;
    placed.has_zones = true;
  }
  const std::string contents = contents_of(buffer);
  if (!contents.empty()) {
    must(driver.copy_in(placed.address, contents.data(), contents.size()), "refused");
  }
  return placed;
}

// Arguments with pointers to where the buffers lie on this device.
std::vector<std::string> arguments_for(const LaunchRequest& launch,
                                       const std::vector<DeviceBuffer>& buffers) {
  std::vector<std::string> arguments;
  for (const Argument& argument : launch.arguments) {
    std::string bytes = argument.bytes;
    for (const PointerArgument& pointer : argument.pointers) {
      const GpuAddress address = buffers[static_cast<size_t>(pointer.buffer)].address +
                                 static_cast<GpuAddress>(pointer.offset);
      std::memcpy(bytes.data() + pointer.at, &address, sizeof(address));
    }
    arguments.push_back(std::move(bytes));
  }
  return arguments;
}

bool zone_is_whole(GpuDriver& driver, GpuAddress address) {
  std::string zone(kZoneBytes, '\0');
  must(driver.copy_out(zone.data(), address, zone.size()), "crash");
  return zone == std::string(kZoneBytes, static_cast<char>(kZoneByte));
}

// The contents of a buffer, into a file.
nlohmann::json collect(GpuDriver& driver, const Buffer& buffer, const DeviceBuffer& placed,
                       const std::string& path, nlohmann::json& problems) {
  std::string contents(placed.num_bytes, '\0');
  if (!contents.empty()) {
    must(driver.copy_out(contents.data(), placed.address, contents.size()), "crash");
  }
  if (placed.has_zones && (!zone_is_whole(driver, placed.address - kZoneBytes) ||
                           !zone_is_whole(driver, placed.address + placed.num_bytes))) {
    problems.push_back({{"kind", "out_of_bounds"},
                        {"message", fmt::format("the kernel has written beside {} ({} bytes)",
                                                quote(buffer.name), placed.num_bytes)}});
  }
  write_file(path, contents);
  return {{"name", buffer.name}, {"bytes", placed.num_bytes}, {"contents", path}};
}

nlohmann::json launch(GpuDriver& driver, const Request& request, void* kernel) {
  nlohmann::json answer{{"status", "ended"},
                        {"device", driver.device()},
                        {"problems", nlohmann::json::array()},
                        {"buffers", nlohmann::json::array()}};
  const LaunchRequest& asked = request.launch;
  try {
    std::vector<DeviceBuffer> buffers;
    for (const Buffer& buffer : asked.buffers) buffers.push_back(place(driver, buffer));
    std::vector<std::string> arguments = arguments_for(asked, buffers);
    std::vector<void*> words;
    for (std::string& bytes : arguments) words.push_back(bytes.data());
    must(driver.launch(kernel,
                       {.grid = asked.grid,
                        .block = asked.block,
                        .dynamic_shared_bytes = static_cast<uint32_t>(asked.dynamic_shared_bytes),
                        .cooperative = asked.cooperative},
                       words),
         "crash");
    for (size_t i = 0; i < buffers.size(); ++i) {
      const std::string path = fmt::format("{}/out{}.bin", request.folder, i);
      answer["buffers"].push_back(
          collect(driver, asked.buffers[i], buffers[i], path, answer["problems"]));
    }
  } catch (const Stopped& stopped) {
    answer["status"] = stopped.status;
    answer["buffers"] = nlohmann::json::array();
    answer["problems"].push_back({{"kind", stopped.status}, {"message", stopped.message}});
  }
  return answer;
}

nlohmann::json devices() {
  nlohmann::json rows = nlohmann::json::array();
  for (const GpuVendor vendor : {GpuVendor::nvidia, GpuVendor::amd}) {
    const std::optional<GpuDriver> driver = GpuDriver::open(vendor);
    if (!driver) continue;
    rows.push_back({{"vendor", vendor == GpuVendor::nvidia ? "nvidia" : "amd"},
                    {"name", driver->device()},
                    {"architecture", driver->architecture()}});
  }
  return {{"devices", std::move(rows)}};
}

}  // namespace

nlohmann::json answer_for_gpu(const nlohmann::json& request) {
  if (request.at("mode").get<std::string>() == "devices") return devices();
  const Request launch_request = read_request(request);
  if (launch_request.mode != Mode::launch) {
    throw Error(ErrorKind::bad_input, "mode: a GPU knows devices and launch");
  }
  GpuDriver driver = open(vendor_of(request));
  const auto objects = request.at("objects").get<std::vector<std::string>>();
  return launch(driver, launch_request, load_kernel(driver, objects, launch_request.launch.kernel));
}

}  // namespace ambidex::runner
